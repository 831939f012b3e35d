import { sql } from 'kysely'
import type { Tx } from './open.ts'

/**
 * Runs work as another tenant within a transaction, then switches back. If the work fails, the caller must roll the
 * transaction back. A member and its row of `account`, which is a tenant of its own, change together in this way.
 */
export async function asTenant<T>(tx: Tx, from: string, to: string, work: () => Promise<T>): Promise<T> {
  if (from === to) return work()
  await setTenant(tx, to)
  const result = await work()
  await setTenant(tx, from)
  return result
}

async function setTenant(tx: Tx, tenant: string): Promise<void> {
  await sql`select set_config('app.tenant', ${tenant}, true)`.execute(tx)
}

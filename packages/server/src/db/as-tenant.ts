import { sql } from 'kysely'
import type { Tx } from './open.ts'

/**
 * Runs a part of a transaction as another tenant, then switches back. Used for rows of two tenants that change
 * together: a member, and its row of `account`, which grants refer to.
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

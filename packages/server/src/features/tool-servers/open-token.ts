import type { Row } from '../../db/tables.ts'
import type { Planes } from '../handler.ts'

/** Opens what a server of tools is opened with; undefined for one that needs nothing. */
export async function openToken(
  { sql, secrets }: Pick<Planes, 'sql' | 'secrets'>,
  { user_id: userId, sandbox_id: sandboxId, credential_ref: ref }: Row<'source'>,
): Promise<string | undefined> {
  if (ref === null) return undefined
  return sql.transact(userId, (tx) => secrets.find(tx, { userId, sandboxId }, ref))
}

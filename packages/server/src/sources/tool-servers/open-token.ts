import type { Row } from '../../db/tables.ts'
import type { Ctx } from '../context.ts'
import { findCredential } from '../registry/provider-secrets.ts'

/**
 * Opens what a server of tools is opened with; undefined for one that needs nothing. Throws `missing` and `mismatch`
 * for one under a key that the request did not bring.
 */
export async function openToken(
  { sql, secrets, key }: Pick<Ctx, 'sql' | 'secrets' | 'key'>,
  source: Row<'source'>,
): Promise<string | undefined> {
  return sql.transact(source.user_id, (tx) => findCredential(secrets, tx, source, key?.seal))
}

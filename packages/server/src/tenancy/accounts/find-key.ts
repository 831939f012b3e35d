import type { Id } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { sha256 } from '../../base/digest.ts'
import type { Planes } from '../planes.ts'
import type { Found } from './found-caller.ts'
import { looksLike } from './key-format.ts'

/** Whether a token is looked up: only what looks like a key is. */
export function isKeyLike(token: string): boolean {
  return looksLike('apiKey', token) || looksLike('connectionKey', token)
}

/**
 * The caller that a key stands for: of an account, or of a connection as its grantee. Undefined for what does not look
 * like a key, and for one that is mistyped, unknown or revoked, whose account is suspended, or whose connection is no
 * more; all but the first take the same one look-up. Whether it has expired is left to the caller.
 */
export async function findKey({ sql }: Pick<Planes, 'sql'>, token: string): Promise<Found | undefined> {
  if (!isKeyLike(token)) return undefined
  const keyHash = sha256(token)
  const [row] = await sql.look({ keyHash }, (tx) =>
    tx
      .selectFrom('api_key as key')
      .leftJoin('connection', (join) =>
        join
          .onRef('connection.user_id', '=', 'key.user_id')
          .onRef('connection.sandbox_id', '=', 'key.sandbox_id')
          .onRef('connection.id', '=', 'key.connection_id')
          .on('connection.revoked_at', 'is', null)
          .on((is) =>
            is.or([is('connection.expires_at', 'is', null), is('connection.expires_at', '>', sqlText<Date>`now()`)]),
          ),
      )
      .innerJoin('account', (join) =>
        join.on('account.user_id', '=', sqlText<string>`coalesce(connection.grantee_user_id, "key".user_id)`),
      )
      .select(['key.user_id as holderId', 'key.id', 'key.expires_at', 'key.sandbox_id', 'key.connection_id'])
      .select(['account.user_id as accountId', 'connection.id as liveConnectionId'])
      .where('key.key_hash', '=', keyHash)
      .where('key.revoked_at', 'is', null)
      .where('account.status', '=', 'active'),
  )
  if (!row || (row.connection_id !== null && row.liveConnectionId === null)) return undefined
  const id = row.id as Id<'key'>
  const { holderId, accountId, expires_at: expiresAt } = row
  if (row.connection_id === null)
    return { caller: { accountId, credential: { kind: 'api_key', id } }, holderId, expiresAt }
  const connectionId = row.connection_id as Id<'connection'>
  const sandboxId = row.sandbox_id as Id<'sandbox'>
  const credential = { kind: 'connection_key', id, connectionId, sandboxId } as const
  return { caller: { accountId, credential }, holderId, expiresAt }
}

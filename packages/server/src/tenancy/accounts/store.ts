import type { ApiKey, Id } from '@cairnstore/contract'
import { sql as sqlText } from 'kysely'
import { sha256 } from '../../base/digest.ts'
import { newId } from '../../base/id.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../planes.ts'
import { isApiKey, keyPrefix, newApiKey } from './key-format.ts'

/** A new key with its plaintext. If `connection` is set, it is a connection key. */
export interface NewKey {
  userId: string
  id: Id<'key'>
  name: string
  key: string
  createdAt: Date
  expiresAt: Date | null
  connection?: { sandboxId: string; id: string }
  /** The member who owns the key. */
  memberId?: string | undefined
}

/** Locks an account against concurrent changes of its keys and members. Returns its status; undefined if missing. */
export async function lockAccount(tx: Tx, userId: string): Promise<Row<'account'>['status'] | undefined> {
  const account = await tx
    .selectFrom('account')
    .select('status')
    .where('user_id', '=', userId)
    .where('member_of', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return account?.status
}

/** Returns the id of the oldest active account; undefined if there is none. */
export async function oldestAccount({ sql }: Pick<Planes, 'sql'>): Promise<string | undefined> {
  const oldest = await sql.transact({ operator: true }, (tx) =>
    tx
      .selectFrom('account')
      .select('user_id')
      .where('status', '=', 'active')
      .where('member_of', 'is', null)
      .orderBy('created_at')
      .orderBy('user_id')
      .limit(1)
      .executeTakeFirst(),
  )
  return oldest?.user_id
}

/** Stores a new account. Throws `account_exists` if the id is taken. */
export async function insertAccount(tx: Tx, userId: string, displayName: string, createdAt: Date): Promise<void> {
  await newAccount(tx, userId, displayName, createdAt).execute()
}

/** Stores a new account unless the id exists. Returns true if it was stored. */
export async function createAccountOnce(
  tx: Tx,
  userId: string,
  displayName: string,
  createdAt: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows: rows } = await newAccount(tx, userId, displayName, createdAt)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return rows === 1n
}

function newAccount(tx: Tx, userId: string, displayName: string, createdAt: Date) {
  return tx.insertInto('account').values({
    user_id: userId,
    display_name: displayName,
    created_at: createdAt,
    primary_sandbox_id: null,
    default_project_id: null,
  })
}

/** Stores a key by the SHA-256 of its plaintext. */
export async function insertKey(tx: Tx, key: NewKey): Promise<void> {
  await insertion(tx, key).execute()
}

/** Stores a key unless the account has, or had, one with its id. Returns true if it was stored. */
export async function insertKeyOnce(tx: Tx, key: NewKey): Promise<boolean> {
  const { numInsertedOrUpdatedRows: rows } = await insertion(tx, key)
    .onConflict((conflict) => conflict.constraint('api_key_pkey').doNothing())
    .executeTakeFirstOrThrow()
  return rows === 1n
}

function insertion(tx: Tx, key: NewKey) {
  return tx.insertInto('api_key').values({
    user_id: key.userId,
    id: key.id,
    name: key.name,
    key_prefix: keyPrefix(key.key),
    key_hash: sha256(key.key),
    connection_id: key.connection?.id ?? null,
    sandbox_id: key.connection?.sandboxId ?? null,
    member_id: key.memberId ?? null,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: null,
    last_used_at: null,
  })
}

/** Returns the wire form of a key's row. */
export function wireKey(row: Row<'api_key'>, now: Date): ApiKey {
  return {
    id: row.id as Id<'key'>,
    name: row.name,
    key_prefix: row.key_prefix,
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    use_count: row.use_count,
    created_at: row.created_at.toISOString(),
    is_expired: row.expires_at !== null && row.expires_at <= now,
    member_id: row.member_id as Id<'member'> | null,
  }
}

const DISPLAY_NAME = 'First account'
const KEY_NAME = 'First key'

/**
 * Creates the first account if there is none, with the given key or a new one. Returns the key, or undefined if an
 * account exists. Throws ConfigError for a malformed key.
 */
export async function bootstrapAccount(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  given: string | null,
): Promise<string | undefined> {
  if (given !== null && !isApiKey(given)) {
    throw new ConfigError(
      'CAIRN_BOOTSTRAP_API_KEY must be cairn_, 43 base64url characters and the 6 base62 characters of their CRC32.',
    )
  }
  if (sql.kind === 'pglite') return createFirstAccount({ sql, clock }, given)
  // The advisory lock prevents concurrent processes on an empty database from creating several accounts.
  return sql.transact({ operator: true }, async (tx) => {
    await sqlText`select pg_advisory_xact_lock(hashtextextended('the first account', 0))`.execute(tx)
    return createFirstAccount({ sql, clock }, given)
  })
}

async function createFirstAccount(
  { sql, clock }: Pick<Planes, 'sql' | 'clock'>,
  given: string | null,
): Promise<string | undefined> {
  const existing = await sql.transact({ operator: true }, (tx) =>
    tx.selectFrom('account').select('user_id').limit(1).executeTakeFirst(),
  )
  if (existing) return undefined
  const key = given ?? newApiKey()
  const userId = newId('account', clock)
  const createdAt = clock.now()
  await sql.transact(userId, async (tx) => {
    await insertAccount(tx, userId, DISPLAY_NAME, createdAt)
    await insertKey(tx, { userId, id: newId('key', clock), name: KEY_NAME, key, createdAt, expiresAt: null })
  })
  return key
}

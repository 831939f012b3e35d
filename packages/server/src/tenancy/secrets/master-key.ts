import type { Clock } from '../../base/clock.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { WrappingKey, WrappingKeys } from '../../config/secrets.ts'
import type { Sql } from '../../db/open.ts'
import { DecryptionFailed, decrypt, encrypt } from './encrypt.ts'
import { dataKeyContext } from './secret-store.ts'

/** Numbers of data keys: rewrapped with the current master key, and broken, which no master key could decrypt. */
interface AdoptionResult {
  rewrapped: number
  broken: number
}

/** Accounts per query while data keys are rewrapped. */
const ACCOUNTS_AT_ONCE = 500

/**
 * Checks that the master key belongs to this database. The first key ever used is recorded. Data keys wrapped with a
 * previous master key are rewrapped with the current one. Throws ConfigError and changes nothing if the recorded key is
 * neither the current nor a previous one.
 */
export async function adoptMasterKey(
  { sql, clock }: { sql: Sql; clock: Clock },
  keys: WrappingKeys,
): Promise<AdoptionResult> {
  const { current, previous } = keys
  const recorded = await recordFirst(sql, current, clock.now())
  if (!recorded.equals(current.fingerprint) && !previous.some(({ fingerprint }) => fingerprint.equals(recorded))) {
    throw new ConfigError(
      'The master key is not the one that encrypted this database. Restore that key, or set it as ' +
        'CAIRN_MASTER_KEY_PREVIOUS to rotate to this one.',
    )
  }
  const done: AdoptionResult = { rewrapped: 0, broken: 0 }
  for (let after = ''; ; ) {
    const userIds = await listOthers(sql, current, after)
    if (userIds.length === 0) break
    for (const userId of userIds) {
      const outcome = await rewrap(sql, keys, userId, clock.now())
      if (outcome !== 'done already') done[outcome] += 1
      after = userId
    }
  }
  await sql.transact({ worker: true }, (tx) =>
    tx
      .updateTable('master_key')
      .set({ fingerprint: current.fingerprint, noted_at: clock.now() })
      .where('fingerprint', '!=', current.fingerprint)
      .execute(),
  )
  return done
}

/** Records this key's fingerprint if the database has none, and returns the recorded one. */
async function recordFirst(sql: Sql, { fingerprint }: WrappingKey, now: Date): Promise<Buffer> {
  return sql.transact({ worker: true }, async (tx) => {
    await tx
      .insertInto('master_key')
      .values({ fingerprint, noted_at: now })
      .onConflict((is) => is.column('is_only').doNothing())
      .execute()
    return (await tx.selectFrom('master_key').select('fingerprint').executeTakeFirstOrThrow()).fingerprint
  })
}

/** Returns the accounts whose data key is wrapped with another master key. */
async function listOthers(sql: Sql, { fingerprint }: WrappingKey, after: string): Promise<string[]> {
  const rows = await sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('data_key')
      .select('user_id')
      .where('fingerprint', '!=', fingerprint)
      .where('user_id', '>', after)
      .orderBy('user_id')
      .limit(ACCOUNTS_AT_ONCE)
      .execute(),
  )
  return rows.map(({ user_id: userId }) => userId)
}

async function rewrap(
  sql: Sql,
  { current, previous }: WrappingKeys,
  userId: string,
  now: Date,
): Promise<keyof AdoptionResult | 'done already'> {
  return sql.transact(userId, async (tx) => {
    const row = await tx.selectFrom('data_key').selectAll().where('user_id', '=', userId).forUpdate().executeTakeFirst()
    // Another process may have rewrapped it, or the account may be deleted.
    if (!row || row.fingerprint.equals(current.fingerprint)) return 'done already'
    const old = previous.find(({ fingerprint }) => fingerprint.equals(row.fingerprint))
    if (!old) {
      throw new ConfigError(
        'A previous master key is still needed: it encrypted secrets of some accounts. Set it as ' +
          'CAIRN_MASTER_KEY_PREVIOUS.',
      )
    }
    const place = dataKeyContext(userId)
    const dataKey = findDecryptable(old.key, place, row.wrapped)
    if (!dataKey) return 'broken'
    const wrapped = encrypt(current.key, place, dataKey)
    await tx
      .updateTable('data_key')
      .set({ wrapped, fingerprint: current.fingerprint, wrapped_at: now })
      .where('user_id', '=', userId)
      .execute()
    return 'rewrapped'
  })
}

function findDecryptable(key: Buffer, place: string[], wrapped: Buffer): Buffer | undefined {
  try {
    return decrypt(key, place, wrapped)
  } catch (cause) {
    if (cause instanceof DecryptionFailed) return undefined
    throw cause
  }
}

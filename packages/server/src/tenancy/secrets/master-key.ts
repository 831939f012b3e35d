import type { Clock } from '../../base/clock.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { WrappingKey, WrappingKeys } from '../../config/secrets.ts'
import type { Sql } from '../../db/open.ts'
import { SealBroken, seal, unseal } from './seal.ts'
import { dataKeyPlace } from './secret-store.ts'

/** How many accounts' keys the present master key wraps now, and how many opened with none: those are left. */
interface Adopted {
  rewrapped: number
  broken: number
}

/** Accounts whose keys are wrapped anew between two looks at what is left. */
const ACCOUNTS_AT_ONCE = 500

/**
 * Makes sure that the master key is the one that this database is used with; the first one to come is noted. What a
 * previous key wrapped is wrapped by the current one. Throws ConfigError, and changes nothing, for a key that is
 * neither.
 */
export async function adoptMasterKey({ sql, clock }: { sql: Sql; clock: Clock }, keys: WrappingKeys): Promise<Adopted> {
  const { current, previous } = keys
  const noted = await noteFirst(sql, current, clock.now())
  if (!noted.equals(current.fingerprint) && !previous.some(({ fingerprint }) => fingerprint.equals(noted))) {
    throw new ConfigError(
      'The master key is not the one under which this database was sealed. Put that one back, or name it in ' +
        'CAIRN_MASTER_KEY_PREVIOUS to change over to this one.',
    )
  }
  const done: Adopted = { rewrapped: 0, broken: 0 }
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

/** The fingerprint that the database has, after noting this one where there is none. */
async function noteFirst(sql: Sql, { fingerprint }: WrappingKey, now: Date): Promise<Buffer> {
  return sql.transact({ worker: true }, async (tx) => {
    await tx
      .insertInto('master_key')
      .values({ fingerprint, noted_at: now })
      .onConflict((is) => is.column('is_only').doNothing())
      .execute()
    return (await tx.selectFrom('master_key').select('fingerprint').executeTakeFirstOrThrow()).fingerprint
  })
}

/** Accounts whose data key another master key wrapped. */
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
): Promise<keyof Adopted | 'done already'> {
  return sql.transact(userId, async (tx) => {
    const row = await tx.selectFrom('data_key').selectAll().where('user_id', '=', userId).forUpdate().executeTakeFirst()
    // Another process may have been here, or the account is gone.
    if (!row || row.fingerprint.equals(current.fingerprint)) return 'done already'
    const old = previous.find(({ fingerprint }) => fingerprint.equals(row.fingerprint))
    if (!old) {
      throw new ConfigError(
        'A master key before this one is still needed: some accounts have secrets that it sealed. Name it in ' +
          'CAIRN_MASTER_KEY_PREVIOUS.',
      )
    }
    const place = dataKeyPlace(userId)
    const dataKey = findOpened(old.key, place, row.wrapped)
    if (!dataKey) return 'broken'
    const wrapped = seal(current.key, place, dataKey)
    await tx
      .updateTable('data_key')
      .set({ wrapped, fingerprint: current.fingerprint, wrapped_at: now })
      .where('user_id', '=', userId)
      .execute()
    return 'rewrapped'
  })
}

function findOpened(key: Buffer, place: string[], wrapped: Buffer): Buffer | undefined {
  try {
    return unseal(key, place, wrapped)
  } catch (cause) {
    if (cause instanceof SealBroken) return undefined
    throw cause
  }
}

import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { WrappingKeys } from '../../config/secrets.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { newSealKey, SealBroken, seal, unseal } from './seal.ts'

/** Keeps the secrets that the service has to read again. Each call is part of its caller's transaction. */
export interface SecretStore {
  /** Keeps the value under the reference, in place of what was there. */
  put(tx: Tx, place: SecretPlace, ref: string, value: string): Promise<void>
  /** The value under the reference, or undefined; throws `unavailable` when it cannot be opened. */
  find(tx: Tx, place: SecretPlace, ref: string): Promise<string | undefined>
  /** Removes what is under the reference; returns whether there was something. */
  destroy(tx: Tx, place: SecretPlace, ref: string): Promise<boolean>
}

/** The reference of a source's secret: `<provider>/<data_source_id>/<purpose>`. No part holds a slash. */
export function secretRef(provider: string, sourceId: string, purpose: string): string {
  return `${provider}/${sourceId}/${purpose}`
}

/**
 * The secret store in the control plane. A value is sealed under a data key of its account, for its sandbox and its
 * reference; the data key is sealed under the master key. So a stolen database opens nothing, a row that is copied
 * elsewhere does not open there, and another master key costs one row an account.
 */
export function openSecretStore({ clock, keys }: { clock: Clock; keys: WrappingKeys }): SecretStore {
  return {
    put: async (tx, { userId, sandboxId }, ref, value) => {
      const key = (await findDataKey(tx, keys, userId)) ?? (await makeDataKey(tx, keys, userId, clock.now()))
      const sealed = seal(key, [userId, sandboxId, ref], Buffer.from(value))
      const kept = { sealed, sealed_at: clock.now(), vault_version: null, vault_settled: true }
      await putSecretRow(tx, { userId, sandboxId }, ref, kept)
    },
    find: async (tx, place, ref) => {
      const row = await findSecretRow(tx, place, ref)
      if (!row) return undefined
      if (row.vault_version !== null)
        throw new Fault('unavailable', { note: 'a secret is in a vault that is not here' })
      const key = await findDataKey(tx, keys, place.userId)
      if (!key) throw new Fault('unavailable', { note: 'a secret is there and its data key is not' })
      return opening(() => unseal(key, [place.userId, place.sandboxId, ref], row.sealed).toString('utf8'))
    },
    destroy: async (tx, place, ref) => {
      const { numDeletedRows } = await tx
        .deleteFrom('sealed_secret')
        .where(ofSandbox(place))
        .where('ref', '=', ref)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}

/** Where a data key belongs: to its account. */
export function dataKeyPlace(userId: string): string[] {
  return [userId, 'data-key']
}

async function findDataKey(tx: Tx, { current, previous }: WrappingKeys, userId: string): Promise<Buffer | undefined> {
  const row = await tx.selectFrom('data_key').selectAll().where('user_id', '=', userId).executeTakeFirst()
  if (!row) return undefined
  const wrapping = [current, ...previous].find(({ fingerprint }) => fingerprint.equals(row.fingerprint))
  if (!wrapping) throw new Fault('unavailable', { note: 'a data key is wrapped by a master key that is not here' })
  return opening(() => unseal(wrapping.key, dataKeyPlace(userId), row.wrapped))
}

/** Makes the account's data key, or takes the one that another transaction made at the same time. */
async function makeDataKey(tx: Tx, keys: WrappingKeys, userId: string, now: Date): Promise<Buffer> {
  const { key, fingerprint } = keys.current
  const wrapped = seal(key, dataKeyPlace(userId), newSealKey())
  await tx
    .insertInto('data_key')
    .values({ user_id: userId, wrapped, fingerprint, wrapped_at: now })
    .onConflict((is) => is.column('user_id').doNothing())
    .execute()
  const made = await findDataKey(tx, keys, userId)
  if (!made) throw new Error('The data key that was made is not there.')
  return made
}

function opening<T>(open: () => T): T {
  try {
    return open()
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause
    throw new Fault('unavailable', { note: 'a secret does not open', cause })
  }
}

/** Where the value of a secret is: sealed in its row, or as one version in a vault. */
type Whereabouts = Omit<Row<'sealed_secret'>, 'user_id' | 'sandbox_id' | 'ref'>

/** Writes where the secret under the reference is, in place of where it was. */
export async function putSecretRow(tx: Tx, place: SecretPlace, ref: string, fresh: Whereabouts): Promise<void> {
  await tx
    .insertInto('sealed_secret')
    .values({ user_id: place.userId, sandbox_id: place.sandboxId, ref, ...fresh })
    .onConflict((is) => is.columns(['user_id', 'sandbox_id', 'ref']).doUpdateSet(fresh))
    .execute()
}

/** Where the secret under the reference is; undefined when there is none. */
export async function findSecretRow(tx: Tx, place: SecretPlace, ref: string): Promise<Whereabouts | undefined> {
  return tx
    .selectFrom('sealed_secret')
    .select(['sealed', 'sealed_at', 'vault_version', 'vault_settled'])
    .where(ofSandbox(place))
    .where('ref', '=', ref)
    .executeTakeFirst()
}

/** Whose secret it is. It goes with the sandbox. */
export interface SecretPlace {
  userId: string
  sandboxId: string
}

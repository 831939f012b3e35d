import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { WrappingKeys } from '../../config/secrets.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { DecryptionFailed, decrypt, encrypt, newDataKey } from './encrypt.ts'

/** Store of secrets that the service must read back. Each call is part of its caller's transaction. */
export interface SecretStore {
  /** Stores the value under the reference and replaces any previous value. */
  put(tx: Tx, place: SecretScope, ref: string, value: string): Promise<void>
  /** Returns the value of the reference; undefined if there is none. Throws `unavailable` if it cannot be decrypted. */
  find(tx: Tx, place: SecretScope, ref: string): Promise<string | undefined>
  /** Removes the value of the reference. Returns true if there was one. */
  destroy(tx: Tx, place: SecretScope, ref: string): Promise<boolean>
}

/** Returns the reference of a source's secret: `<provider>/<data_source_id>/<purpose>`. No part may contain a slash. */
export function secretRef(provider: string, sourceId: string, purpose: string): string {
  return `${provider}/${sourceId}/${purpose}`
}

/**
 * Opens the secret store in the control plane. It uses envelope encryption: a data key per account encrypts the values,
 * and the master key wraps the data keys. The secrets in a stolen database are therefore unreadable. Each value is
 * bound to its sandbox and reference. A change of the master key rewrites one row per account.
 */
export function openSecretStore({ clock, keys }: { clock: Clock; keys: WrappingKeys }): SecretStore {
  return {
    put: async (tx, { userId, sandboxId }, ref, value) => {
      const key = (await findDataKey(tx, keys, userId)) ?? (await createDataKey(tx, keys, userId, clock.now()))
      const sealed = encrypt(key, [userId, sandboxId, ref], Buffer.from(value))
      const stored = { sealed, sealed_at: clock.now(), vault_version: null, vault_settled: true }
      await putSecretRow(tx, { userId, sandboxId }, ref, stored)
    },
    find: async (tx, place, ref) => {
      const row = await findSecretRow(tx, place, ref)
      if (!row) return undefined
      if (row.vault_version !== null)
        throw new Fault('unavailable', { note: 'a secret is in a vault that is not configured' })
      const key = await findDataKey(tx, keys, place.userId)
      if (!key) throw new Fault('unavailable', { note: 'the data key of a secret is missing' })
      return orUnavailable(() => decrypt(key, [place.userId, place.sandboxId, ref], row.sealed).toString('utf8'))
    },
    destroy: async (tx, place, ref) => {
      const { numDeletedRows } = await tx
        .deleteFrom('sealed_secret')
        .where(ofSandbox(place, { ref }))
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}

/** Returns the associated data that binds a data key to its account. */
export function dataKeyContext(userId: string): string[] {
  return [userId, 'data-key']
}

async function findDataKey(tx: Tx, { current, previous }: WrappingKeys, userId: string): Promise<Buffer | undefined> {
  const row = await tx.selectFrom('data_key').selectAll().where('user_id', '=', userId).executeTakeFirst()
  if (!row) return undefined
  const wrapping = [current, ...previous].find(({ fingerprint }) => fingerprint.equals(row.fingerprint))
  if (!wrapping)
    throw new Fault('unavailable', { note: 'a data key is wrapped by a master key that is not configured' })
  return orUnavailable(() => decrypt(wrapping.key, dataKeyContext(userId), row.wrapped))
}

/** Creates the account's data key, or returns the one that a concurrent transaction created. */
async function createDataKey(tx: Tx, keys: WrappingKeys, userId: string, now: Date): Promise<Buffer> {
  const { key, fingerprint } = keys.current
  const wrapped = encrypt(key, dataKeyContext(userId), newDataKey())
  await tx
    .insertInto('data_key')
    .values({ user_id: userId, wrapped, fingerprint, wrapped_at: now })
    .onConflict((is) => is.column('user_id').doNothing())
    .execute()
  const made = await findDataKey(tx, keys, userId)
  if (!made) throw new Error('The new data key is missing.')
  return made
}

function orUnavailable<T>(open: () => T): T {
  try {
    return open()
  } catch (cause) {
    if (!(cause instanceof DecryptionFailed)) throw cause
    throw new Fault('unavailable', { note: 'a secret cannot be decrypted', cause })
  }
}

/** Location of a secret's value: encrypted in its row, or as one version in a vault. */
type SecretLocation = Omit<Row<'sealed_secret'>, 'user_id' | 'sandbox_id' | 'ref'>

/** Writes the location of a secret and replaces any previous one. */
export async function putSecretRow(tx: Tx, place: SecretScope, ref: string, fresh: SecretLocation): Promise<void> {
  await tx
    .insertInto('sealed_secret')
    .values({ ...sandboxColumns(place), ref, ...fresh })
    .onConflict((is) => is.columns(['user_id', 'sandbox_id', 'ref']).doUpdateSet(fresh))
    .execute()
}

/** Returns the location of a secret; undefined if there is none. */
export async function findSecretRow(tx: Tx, place: SecretScope, ref: string): Promise<SecretLocation | undefined> {
  return tx
    .selectFrom('sealed_secret')
    .select(['sealed', 'sealed_at', 'vault_version', 'vault_settled'])
    .where(ofSandbox(place, { ref }))
    .executeTakeFirst()
}

/** Owner of a secret. The secret is deleted with the sandbox. */
export interface SecretScope {
  userId: string
  sandboxId: string
}

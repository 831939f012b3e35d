import { sql } from 'kysely'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { SecretPlace } from '../secrets/secret-row.ts'
import { type SecretStore, secretRef } from '../secrets/secret-store.ts'
import type { Access } from './bucket.ts'

/** Where in the secret store the access key of a sandbox's own bucket is. */
function accessRef(sandboxId: string): string {
  return secretRef('custom_s3', sandboxId, 'access')
}

/** Keeps the access key of a sandbox's bucket, in place of the one before. */
export async function keepAccess(secrets: SecretStore, tx: Tx, place: SecretPlace, access: Access): Promise<void> {
  await secrets.put(tx, place, accessRef(place.sandboxId), JSON.stringify(access))
}

/** The access key of a sandbox's bucket; undefined when there is none any more. */
export async function findAccess(secrets: SecretStore, tx: Tx, place: SecretPlace): Promise<Access | undefined> {
  const kept = await secrets.find(tx, place, accessRef(place.sandboxId))
  return kept === undefined ? undefined : (JSON.parse(kept) as Access)
}

/** Removes the secrets of a sandbox that is deleted, but for what its objects are still to be reached with. */
export async function dropSecrets(tx: Tx, { userId, sandboxId }: SecretPlace): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('sealed_secret')
    .where(ofSandbox({ userId, sandboxId }))
    .where('ref', '!=', accessRef(sandboxId))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Removes the access key of a deleted sandbox's bucket, whose objects are gone, and an erased account's data key. */
export async function dropAccess(secrets: SecretStore, tx: Tx, place: SecretPlace): Promise<void> {
  if (await secrets.destroy(tx, place, accessRef(place.sandboxId))) await dropDataKey(tx, place.userId)
}

/** Removes the data key of an account that is no more, unless it still opens something. */
export async function dropDataKey(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom('data_key')
    .where('user_id', '=', userId)
    .where((is) => is.not(is.exists(is.selectFrom('account').select(sql`1`.as('one')).where('user_id', '=', userId))))
    .where((is) =>
      is.not(is.exists(is.selectFrom('sealed_secret').select(sql`1`.as('one')).where('user_id', '=', userId))),
    )
    .execute()
}

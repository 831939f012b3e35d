import { type GivenAccess, type GivenStorage, ID_TAIL, type Storage } from '@cairnstore/contract'
import { sql } from 'kysely'
import { invalid } from '../../base/fault.ts'
import { findPullFailure } from '../../base/pull-failure.ts'
import { assertAllowed } from '../../base/safe-fetch.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { type SecretPlace, type SecretStore, secretRef } from '../secrets/secret-store.ts'

/** A bucket that a sandbox has of its own: where it is, and what opens it. */
export interface Bucket {
  readonly place: Storage
  readonly access: Access
}

/** What opens a bucket. */
export interface Access {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** A folder that is called like this is a sandbox's: another one below it would go when that one is deleted. */
const SANDBOX_FOLDER = new RegExp(`^sbx_${ID_TAIL}$`)

/** The bucket that a body names; throws `validation_error` for an address or a prefix that no bucket can have here. */
export function toBucket(given: GivenStorage, allowLoopback: boolean): Bucket {
  const place: Storage = {
    bucket: given.bucket,
    region: given.region,
    endpoint: given.endpoint == null ? null : toEndpoint(given.endpoint, allowLoopback),
    prefix: toPrefix(given.prefix ?? ''),
  }
  return { place, access: toAccess(given) }
}

/** The access key that a body brings. */
export function toAccess({ access_key_id: accessKeyId, secret_access_key: secretAccessKey }: GivenAccess): Access {
  return { accessKeyId, secretAccessKey }
}

/** Where the bucket of a row's sandbox is; null in the platform's storage. */
export function placeOf(storage: Row<'sandbox'>['storage']): Storage | null {
  return storage as Storage | null
}

/** Where the requests to a bucket go, without a slash at the end. */
export function endpointOf({ endpoint, region }: Storage): string {
  return endpoint ?? `https://s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`
}

function toEndpoint(text: string, allowLoopback: boolean): string {
  const wrong = (msg: string) => invalid(['body', 'storage', 'endpoint'], msg)
  if (!URL.canParse(text)) throw wrong('This is no URL.')
  const url = new URL(text)
  if (/[?#]/.test(text)) throw wrong('An endpoint has neither a query nor a fragment.')
  if (url.username || url.password) throw wrong('An endpoint has no user; send the access key in its own fields.')
  try {
    assertAllowed(url, allowLoopback, true)
  } catch (cause) {
    const isInner = findPullFailure(cause)?.reason === 'blocked_address'
    throw wrong(
      isInner
        ? 'This is an address inside a network, or none by name; an object store is called on the internet alone.'
        : 'An endpoint is called over https, on port 443 or one from 1024.',
    )
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function toPrefix(text: string): string {
  const wrong = (msg: string) => invalid(['body', 'storage', 'prefix'], msg)
  const prefix = text.replace(/^\/+|\/+$/g, '')
  if (prefix === '') return prefix
  const folders = prefix.split('/')
  if (folders.some((folder) => folder === '' || /^\.+$/.test(folder))) throw wrong('A folder of it has no name.')
  if (folders.some((folder) => SANDBOX_FOLDER.test(folder))) throw wrong('A folder of it is another sandbox’s.')
  return prefix
}

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

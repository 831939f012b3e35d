import { type GivenAccess, type GivenStorage, ID_TAIL, type Storage } from '@cairnstore/contract'
import { sql } from 'kysely'
import { invalid } from '../../base/fault.ts'
import { findPullFailure } from '../../base/pull-failure.ts'
import { assertAllowed } from '../../base/safe-fetch.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { type SecretScope, type SecretStore, secretRef } from '../secrets/secret-store.ts'

/** Custom bucket of a sandbox: its location and credentials. */
export interface Bucket {
  readonly place: Storage
  readonly access: AccessKey
}

export interface AccessKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Matches the folder name of a sandbox. A prefix inside such a folder would be deleted with its sandbox. */
const SANDBOX_FOLDER = new RegExp(`^sbx_${ID_TAIL}$`)

/** Returns the bucket of a request body. Throws `validation_error` for an endpoint or prefix that is not allowed. */
export function toBucket(given: GivenStorage, allowLoopback: boolean): Bucket {
  const place: Storage = {
    bucket: given.bucket,
    region: given.region,
    endpoint: given.endpoint == null ? null : toEndpoint(given.endpoint, allowLoopback),
    prefix: toPrefix(given.prefix ?? ''),
  }
  return { place, access: toAccess(given) }
}

/** Returns the access key of a request body. */
export function toAccess({ access_key_id: accessKeyId, secret_access_key: secretAccessKey }: GivenAccess): AccessKey {
  return { accessKeyId, secretAccessKey }
}

/** Returns the bucket location of a sandbox; null if it uses the platform's storage. */
export function placeOf(storage: Row<'sandbox'>['storage']): Storage | null {
  return storage as Storage | null
}

/** Returns the base URL of a bucket's endpoint, without a trailing slash. */
export function endpointOf({ endpoint, region }: Storage): string {
  return endpoint ?? `https://s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`
}

function toEndpoint(text: string, allowLoopback: boolean): string {
  const wrong = (msg: string) => invalid(['body', 'storage', 'endpoint'], msg)
  if (!URL.canParse(text)) throw wrong('This is not a URL.')
  const url = new URL(text)
  if (/[?#]/.test(text)) throw wrong('An endpoint must not have a query or a fragment.')
  if (url.username || url.password)
    throw wrong('An endpoint must not contain a user; send the access key in its own fields.')
  try {
    assertAllowed(url, allowLoopback, true)
  } catch (cause) {
    const isPrivate = findPullFailure(cause)?.reason === 'blocked_address'
    throw wrong(
      isPrivate
        ? 'The endpoint must be a public host name; private addresses are not allowed.'
        : 'An endpoint must use https on port 443 or a port from 1024.',
    )
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function toPrefix(text: string): string {
  const wrong = (msg: string) => invalid(['body', 'storage', 'prefix'], msg)
  const prefix = text.replace(/^\/+|\/+$/g, '')
  if (prefix === '') return prefix
  const folders = prefix.split('/')
  if (folders.some((folder) => folder === '' || /^\.+$/.test(folder)))
    throw wrong('A folder in the prefix has no name.')
  if (folders.some((folder) => SANDBOX_FOLDER.test(folder)))
    throw wrong('A folder in the prefix belongs to another sandbox.')
  return prefix
}

/** Returns the secret reference of a custom bucket's access key. */
function accessRef(sandboxId: string): string {
  return secretRef('custom_s3', sandboxId, 'access')
}

/** Stores the access key of a sandbox's bucket and replaces any previous one. */
export async function storeAccess(secrets: SecretStore, tx: Tx, place: SecretScope, access: AccessKey): Promise<void> {
  await secrets.put(tx, place, accessRef(place.sandboxId), JSON.stringify(access))
}

/** Returns the access key of a sandbox's bucket; undefined if there is none. */
export async function findAccess(secrets: SecretStore, tx: Tx, place: SecretScope): Promise<AccessKey | undefined> {
  const stored = await secrets.find(tx, place, accessRef(place.sandboxId))
  return stored === undefined ? undefined : (JSON.parse(stored) as AccessKey)
}

/** Deletes the secrets of a deleted sandbox, except for its bucket's access key. Returns the number deleted. */
export async function dropSecrets(tx: Tx, { userId, sandboxId }: SecretScope): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('sealed_secret')
    .where(ofSandbox({ userId, sandboxId }))
    .where('ref', '!=', accessRef(sandboxId))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes the access key of an emptied bucket, and the account's data key as in `dropDataKey`. */
export async function dropAccess(secrets: SecretStore, tx: Tx, place: SecretScope): Promise<void> {
  if (await secrets.destroy(tx, place, accessRef(place.sandboxId))) await dropDataKey(tx, place.userId)
}

/** Deletes the data key of an erased account, unless a secret still needs it. */
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

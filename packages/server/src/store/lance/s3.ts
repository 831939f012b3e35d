import { AwsClient } from 'aws4fetch'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { StorageRoot } from '../port.ts'
import type { SandboxFolder } from './sandbox-folder.ts'

/** Client of an S3-compatible store, for operations that Lance does not offer. */
export interface S3 {
  /** URL of the folder's bucket. */
  readonly bucket: URL
  /** Key prefix of the folder, with a trailing slash. */
  readonly prefix: string
  /** Sends a request for an object of the folder. */
  ask(name: string, init: RequestInit): Promise<Response>
  /** Sends a request for a URL of the bucket. */
  askAt(address: URL, init: RequestInit): Promise<Response>
}

/** Returns true if the storage is an S3-compatible object store. */
export function isS3({ uri }: StorageRoot): boolean {
  return /^s3:/i.test(uri)
}

/** Creates the S3 client of a storage root or a folder in it. */
export function openS3({ uri, options = {}, fetch = globalThis.fetch }: StorageRoot): S3 {
  const { hostname, pathname } = new URL(uri)
  const { region = 'us-east-1', accessKeyId = '', secretAccessKey = '', sessionToken, endpoint } = options
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
  const client = new AwsClient({ ...keys, region, service: 's3' })
  const bucket = new URL(`${endpoint ?? `https://s3.${region}.amazonaws.com`}/${hostname}`)
  const folder = pathname.slice(1).replace(/\/+$/, '')
  const prefix = folder === '' ? '' : `${folder}/`
  const encryption = encryptionOf(options)
  const askAt: S3['askAt'] = async (address, init) => {
    const own = init.method === 'PUT' ? { ...init, headers: { ...encryption, ...(init.headers as object) } } : init
    const { url, headers } = await client.sign(address, own)
    return fetch(url, { ...init, headers })
  }
  return { bucket, prefix, ask: (name, init) => askAt(new URL(`${bucket.href}/${prefix}${name}`), init), askAt }
}

/** Milliseconds that the store may take for one object. */
const OBJECT_MS_MAX = 30_000

/**
 * Sends a request for an object of the folder and returns the body of the reply. Returns undefined if the object to
 * read or delete does not exist. `request` describes the request in errors.
 */
export async function askS3(
  folder: StorageRoot,
  name: string,
  request: string,
  init: RequestInit = {},
): Promise<Uint8Array | undefined> {
  const reply = await openS3(folder).ask(name, { ...init, signal: timeoutSignal(OBJECT_MS_MAX) })
  const body = new Uint8Array(await reply.arrayBuffer())
  if (reply.status === NOT_FOUND && init.method !== 'PUT') return undefined
  if (!reply.ok) throw new Error(`The object store answered ${reply.status} to ${request}.`)
  return body
}

/** Returns the headers for server-side encryption (SSE-KMS), if the options name a KMS key. */
function encryptionOf({ aws_sse_kms_key_id: keyId }: SandboxFolder['options']): Record<string, string> {
  if (keyId === undefined) return {}
  return { 'x-amz-server-side-encryption': 'aws:kms', 'x-amz-server-side-encryption-aws-kms-key-id': keyId }
}

/** Milliseconds that the store may take for one page of a listing. */
const PAGE_MS_MAX = 30_000
/** Maximum number of pages of 1,000 objects. No sandbox within its limits has that many objects. */
const PAGES_MAX = 10_000
const NOT_FOUND = 404

/** Yields the names of a folder's objects that start with `prefix`. Yields none if the bucket does not exist. */
export async function* listNames(folder: StorageRoot, prefix: string): AsyncGenerator<string> {
  const s3 = openS3(folder)
  const address = new URL(s3.bucket)
  address.searchParams.set('list-type', '2')
  address.searchParams.set('prefix', `${s3.prefix}${prefix}`)
  for (let page = 0; page < PAGES_MAX; page++) {
    const reply = await s3.askAt(address, { signal: timeoutSignal(PAGE_MS_MAX) })
    const listing = await reply.text()
    if (reply.status === NOT_FOUND && listing.includes('<Code>NoSuchBucket</Code>')) return
    if (!reply.ok) throw new Error(`The object store answered ${reply.status} to a list request.`)
    for (const [, key] of listing.matchAll(/<Key>([^<]*)<\/Key>/g)) yield unescapeXml(key!).slice(s3.prefix.length)
    const next = /<NextContinuationToken>([^<]*)</.exec(listing)?.[1]
    if (!next) return
    address.searchParams.set('continuation-token', unescapeXml(next))
  }
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

/** Counts the objects in a sandbox's folder whose names start with `prefix`. Returns 0 if the bucket does not exist. */
export async function countObjects(folder: SandboxFolder, prefix: string): Promise<number> {
  let objects = 0
  for await (const _ of listNames(folder, prefix)) objects += 1
  return objects
}

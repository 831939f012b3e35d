import { AwsClient } from 'aws4fetch'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import type { SandboxFolder } from './sandbox-folder.ts'

/** An S3-compatible store, asked for what Lance has no call for. */
export interface S3 {
  /** The bucket of the folder. */
  readonly bucket: URL
  /** What the keys in the folder begin with, with its last slash. */
  readonly prefix: string
  /** Asks for the object of a name in the folder. */
  ask(name: string, init: RequestInit): Promise<Response>
  /** Asks for an address in the bucket. */
  askAt(address: URL, init: RequestInit): Promise<Response>
}

/** Opens the store that a folder is in. */
export function openS3({ uri, options, fetch }: Pick<SandboxFolder, 'uri' | 'options' | 'fetch'>): S3 {
  const { hostname, pathname } = new URL(uri)
  const { region = 'us-east-1', accessKeyId = '', secretAccessKey = '', sessionToken, endpoint } = options
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
  const client = new AwsClient({ ...keys, region, service: 's3' })
  const bucket = new URL(`${endpoint ?? `https://s3.${region}.amazonaws.com`}/${hostname}`)
  const folder = pathname.slice(1).replace(/\/+$/, '')
  const prefix = folder === '' ? '' : `${folder}/`
  const sealed = encryptionOf(options)
  const askAt: S3['askAt'] = async (address, init) => {
    const own = init.method === 'PUT' ? { ...init, headers: { ...sealed, ...(init.headers as object) } } : init
    const { url, headers } = await client.sign(address, own)
    return fetch(url, { ...init, headers })
  }
  return { bucket, prefix, ask: (name, init) => askAt(new URL(`${bucket.href}/${prefix}${name}`), init), askAt }
}

/** The headers by which the store encrypts what is written, where its options say under which of AWS' keys. */
function encryptionOf({ aws_sse_kms_key_id: keyId }: SandboxFolder['options']): Record<string, string> {
  if (keyId === undefined) return {}
  return { 'x-amz-server-side-encryption': 'aws:kms', 'x-amz-server-side-encryption-aws-kms-key-id': keyId }
}

/** How long the store may take for one page of a listing. */
const PAGE_MS_MAX = 30_000
/** Pages of a thousand: more objects than any sandbox within its limits has. */
const PAGES_MAX = 10_000
const NOT_FOUND = 404

/**
 * The names of the objects below a sandbox's folder in an S3-compatible store, those that start with `prefix` in it. A
 * bucket that is not there has none.
 */
export async function* listNames(folder: Parameters<typeof openS3>[0], prefix: string): AsyncGenerator<string> {
  const s3 = openS3(folder)
  const address = new URL(s3.bucket)
  address.searchParams.set('list-type', '2')
  address.searchParams.set('prefix', `${s3.prefix}${prefix}`)
  for (let page = 0; page < PAGES_MAX; page++) {
    const reply = await s3.askAt(address, { signal: timeoutSignal(PAGE_MS_MAX) })
    const listing = await reply.text()
    if (reply.status === NOT_FOUND && listing.includes('<Code>NoSuchBucket</Code>')) return
    if (!reply.ok) throw new Error(`The object store answered ${reply.status} to a listing.`)
    for (const [, key] of listing.matchAll(/<Key>([^<]*)<\/Key>/g)) yield unescapeXml(key!).slice(s3.prefix.length)
    const next = /<NextContinuationToken>([^<]*)</.exec(listing)?.[1]
    if (!next) return
    address.searchParams.set('continuation-token', unescapeXml(next))
  }
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

/**
 * Counts the objects below a sandbox's folder in an S3-compatible store, those under `prefix` in it. A bucket that is
 * not there has none.
 */
export async function countObjects(folder: SandboxFolder, prefix: string): Promise<number> {
  let objects = 0
  for await (const _ of listNames(folder, prefix)) objects += 1
  return objects
}

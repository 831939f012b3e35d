import { AwsClient } from 'aws4fetch'
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

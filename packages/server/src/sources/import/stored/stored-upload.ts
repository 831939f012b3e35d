import type { ImportQuery } from '@cairnstore/contract'
import type { JsonObject } from '../../../db/json-object.ts'
import type { Row } from '../../../db/tables.ts'
import type { Planes } from '../../../store/planes.ts'
import type { ContentCipher } from '../../../tenancy/caller-keys/content-cipher.ts'
import { DecryptionFailed, encryptTo } from '../../../tenancy/secrets/encrypt.ts'
import {
  decryptManifest,
  encryptManifest,
  PART_BYTES,
  type PartsRef,
  readParts,
  writeParts,
} from '../../encrypted-parts.ts'
import type { ReceivedUpload } from '../uploads/open-upload.ts'
import { keyRef, refOf, type UploadRef } from './upload-rows.ts'

/** Parameters that are needed to resume an import from its stored upload. */
export interface Manifest {
  query: ImportQuery
  projectId: string | null
  requestId: string
  bytes: number
  type?: string
  files?: { name: string; bytes: number }[]
}

function partsOf({ userId, sandboxId, jobId }: UploadRef): PartsRef {
  return { kind: 'imports', userId, sandboxId, id: jobId }
}

/** Returns the context that binds an upload key to its upload when it is encrypted to a customer-managed key. */
export function keyContext(jobId: string): string {
  return `import/${jobId}`
}

/** Returns the upload key, encrypted to the sandbox's customer-managed key. */
export function wrapKey(key: Buffer, jobId: string, to: ContentCipher): Buffer {
  return encryptTo(to.storedKey.publicKey, keyContext(jobId), key)
}

/** Returns the manifest, encrypted with the upload key. */
export function encryptUploadManifest(ref: UploadRef, key: Buffer, manifest: Manifest): Buffer {
  return encryptManifest(partsOf(ref), key, manifest)
}

/** Writes an upload to its sandbox's storage in encrypted parts. They are durable when this resolves. */
export async function writeUpload(
  planes: Pick<Planes, 'knowledge' | 'diskSpace'>,
  ref: UploadRef,
  key: Buffer,
  { spool }: ReceivedUpload,
): Promise<void> {
  const parts = async function* () {
    for (let from = 0; from < spool.bytes; from += PART_BYTES) {
      const chunks: Buffer[] = []
      for await (const chunk of spool.read(from, Math.min(from + PART_BYTES, spool.bytes))) chunks.push(chunk as Buffer)
      yield Buffer.concat(chunks)
    }
  }
  await writeParts(planes, partsOf(ref), key, parts())
}

/** Thrown if a part of an upload is missing or cannot be decrypted. Its import cannot be resumed. */
export class UploadGone extends Error {
  override name = 'UploadGone'
}

/** Yields the decrypted parts of a stored upload. Throws UploadGone. */
export async function* readUpload(
  planes: Pick<Planes, 'knowledge'>,
  ref: UploadRef,
  key: Buffer,
  bytes: number,
): AsyncGenerator<Buffer> {
  try {
    yield* readParts(planes, partsOf(ref), key, bytes)
  } catch (cause) {
    throw uploadGone(cause)
  }
}

export async function removeUploadParts({ knowledge }: Pick<Planes, 'knowledge'>, ref: UploadRef): Promise<void> {
  const store = await knowledge.store(ref)
  await store.removeSegments('imports', (name) => name.startsWith(`${ref.jobId}-`))
}

/** Returns the key and manifest of an upload; undefined without a needed key. Throws UploadGone. */
export async function openKey(
  { sql, secrets }: Pick<Planes, 'sql' | 'secrets'>,
  row: Row<'import_upload'>,
  cmk: ContentCipher | undefined,
): Promise<{ key: Buffer; manifest: Manifest } | undefined> {
  const ref = refOf(row)
  const wrappedKey = row.key_box
  if (wrappedKey && !cmk) return undefined
  const text = wrappedKey ? undefined : await sql.transact(ref.userId, (tx) => secrets.find(tx, ref, keyRef(ref.jobId)))
  try {
    const key =
      wrappedKey && cmk ? cmk.decryptBox(keyContext(ref.jobId), wrappedKey) : Buffer.from(text ?? '', 'base64')
    return { key, manifest: decryptManifest<Manifest>(partsOf(ref), key, row.manifest) }
  } catch (cause) {
    throw uploadGone(cause)
  }
}

/** Returns UploadGone in place of a failed decryption. Any other error is returned as it is. */
function uploadGone(cause: unknown): unknown {
  if (!(cause instanceof DecryptionFailed)) return cause
  return new UploadGone('a stored upload cannot be decrypted', { cause })
}

/** Returns a credential as a JSON column. It contains ids but no secret. */
export function credentialColumn(credential: object): JsonObject {
  return JSON.parse(JSON.stringify(credential)) as JsonObject
}

import type { ImportQuery } from '@cairnstore/contract'
import type { JsonObject } from '../../../db/json-object.ts'
import type { Row } from '../../../db/tables.ts'
import type { Planes } from '../../../store/planes.ts'
import type { ContentCipher } from '../../../tenancy/caller-keys/content-cipher.ts'
import { DecryptionFailed, decrypt, encrypt, encryptTo } from '../../../tenancy/secrets/encrypt.ts'
import type { ReceivedUpload } from '../uploads/open-upload.ts'
import { keyRef, refOf, type UploadRef } from './upload-rows.ts'

/** Size of a part in bytes: large enough for few requests per file, small enough for little memory. */
const PART_BYTES = 4 * 1024 * 1024 - 1024

/** Parameters that are needed to resume an import from its stored upload. */
export interface Manifest {
  query: ImportQuery
  projectId: string | null
  requestId: string
  bytes: number
  type?: string
  files?: { name: string; bytes: number }[]
}

type StoragePlanes = Pick<Planes, 'knowledge' | 'room'>

function partName(jobId: string, at: number): string {
  return `${jobId}-${at}`
}

function partContext({ sandboxId, jobId }: UploadRef, part: string | number): string[] {
  return ['import', sandboxId, jobId, String(part)]
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
export function encryptManifest(ref: UploadRef, key: Buffer, manifest: Manifest): Buffer {
  return encrypt(key, partContext(ref, 'manifest'), Buffer.from(JSON.stringify(manifest)))
}

/** Writes an upload to its sandbox's storage in encrypted parts. They are durable when this resolves. */
export async function writeParts(
  planes: StoragePlanes,
  ref: UploadRef,
  key: Buffer,
  arrived: ReceivedUpload,
): Promise<void> {
  const store = await planes.knowledge.store(ref)
  let part = 0
  for (let from = 0; from < arrived.spool.bytes; from += PART_BYTES) {
    await planes.room.assert()
    const chunks: Buffer[] = []
    for await (const chunk of arrived.spool.read(from, Math.min(from + PART_BYTES, arrived.spool.bytes))) {
      chunks.push(chunk as Buffer)
    }
    await store.writeUploadPart(partName(ref.jobId, part), encrypt(key, partContext(ref, part), Buffer.concat(chunks)))
    part += 1
  }
}

/** Thrown for an upload with a part that is missing or cannot be decrypted: its import cannot be resumed. */
export class UploadGone extends Error {
  override name = 'UploadGone'
}

/** Yields the decrypted parts of a stored upload. Throws UploadGone. */
export async function* readParts(
  planes: StoragePlanes,
  ref: UploadRef,
  key: Buffer,
  bytes: number,
): AsyncGenerator<Buffer> {
  const store = await planes.knowledge.store(ref)
  for (let part = 0; part * PART_BYTES < bytes; part += 1) {
    const ciphertext = await store.readUploadPart(partName(ref.jobId, part))
    if (!ciphertext) throw new UploadGone()
    yield orUploadGone(() => decrypt(key, partContext(ref, part), Buffer.from(ciphertext)))
  }
}

export async function removeParts({ knowledge }: Pick<Planes, 'knowledge'>, ref: UploadRef): Promise<void> {
  const store = await knowledge.store(ref)
  await store.removeUploadParts((name) => name.startsWith(`${ref.jobId}-`))
}

/** Returns the id of the job that an upload part belongs to. */
export function jobOfPart(name: string): string {
  return name.slice(0, name.lastIndexOf('-'))
}

/**
 * Returns the key and the manifest of a stored upload; undefined if they need a customer-managed key that this process
 * does not hold. Throws UploadGone if decryption fails.
 */
export async function openKey(
  { sql, secrets }: Pick<Planes, 'sql' | 'secrets'>,
  row: Row<'import_upload'>,
  cmk: ContentCipher | undefined,
): Promise<{ key: Buffer; manifest: Manifest } | undefined> {
  const ref = refOf(row)
  const wrappedKey = row.key_box
  if (wrappedKey && !cmk) return undefined
  const text = wrappedKey ? undefined : await sql.transact(ref.userId, (tx) => secrets.find(tx, ref, keyRef(ref.jobId)))
  return orUploadGone(() => {
    const key =
      wrappedKey && cmk ? cmk.decryptBox(keyContext(ref.jobId), wrappedKey) : Buffer.from(text ?? '', 'base64')
    const manifest = JSON.parse(decrypt(key, partContext(ref, 'manifest'), row.manifest).toString()) as Manifest
    return { key, manifest }
  })
}

function orUploadGone<T>(open: () => T): T {
  try {
    return open()
  } catch (cause) {
    if (cause instanceof DecryptionFailed) throw new UploadGone('a stored upload cannot be decrypted', { cause })
    throw cause
  }
}

/** Returns a credential as a JSON column. It contains ids but no secret. */
export function credentialColumn(credential: object): JsonObject {
  return JSON.parse(JSON.stringify(credential)) as JsonObject
}

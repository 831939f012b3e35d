import type { Planes } from '../store/planes.ts'
import type { SegmentKind } from '../store/port.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { DecryptionFailed, decrypt, encrypt } from '../tenancy/secrets/encrypt.ts'

/** A file in encrypted parts: the upload of the import with this job id, or the original with this id. */
export interface PartsRef extends SandboxRef {
  readonly kind: Exclude<SegmentKind, 'graph'>
  readonly id: string
}

/** Size of a part in bytes. An encrypted part is below 4 MiB: few requests per file, and little memory. */
export const PART_BYTES = 4 * 1024 * 1024 - 1024

const LABELS = { imports: 'import', originals: 'original' } as const

function contextOf({ kind, sandboxId, id }: PartsRef, part: string | number): string[] {
  return [LABELS[kind], sandboxId, id, String(part)]
}

/** Returns the manifest of a file, encrypted with the file's key. */
export function encryptManifest(ref: PartsRef, key: Buffer, manifest: object): Buffer {
  return encrypt(key, contextOf(ref, 'manifest'), Buffer.from(JSON.stringify(manifest)))
}

/** Decrypts the manifest of a file. Throws DecryptionFailed. */
export function decryptManifest<M>(ref: PartsRef, key: Buffer, manifest: Buffer): M {
  return JSON.parse(decrypt(key, contextOf(ref, 'manifest'), manifest).toString()) as M
}

/** Writes parts of PART_BYTES to the sandbox's storage, encrypted. They are durable when this resolves. */
export async function writeParts(
  { knowledge, diskSpace }: Pick<Planes, 'knowledge' | 'diskSpace'>,
  ref: PartsRef,
  key: Buffer,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const store = await knowledge.store(ref)
  let at = 0
  for await (const part of parts) {
    await diskSpace.assert()
    await store.writeSegment(ref.kind, `${ref.id}-${at}`, encrypt(key, contextOf(ref, at), part))
    at += 1
  }
}

/** Yields the decrypted parts of a file. Throws DecryptionFailed, also for a missing part. */
export async function* readParts(
  { knowledge }: Pick<Planes, 'knowledge'>,
  ref: PartsRef,
  key: Buffer,
  bytes: number,
): AsyncGenerator<Buffer> {
  const store = await knowledge.store(ref)
  for (let part = 0; part * PART_BYTES < bytes; part += 1) {
    const ciphertext = await store.readSegment(ref.kind, `${ref.id}-${part}`)
    if (!ciphertext) throw new DecryptionFailed('a part is missing')
    yield decrypt(key, contextOf(ref, part), Buffer.from(ciphertext))
  }
}

/** Returns the id of the file that a part belongs to. */
export function fileOfPart(name: string): string {
  return name.slice(0, name.lastIndexOf('-'))
}

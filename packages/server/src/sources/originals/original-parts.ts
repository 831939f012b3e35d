import type { Planes } from '../../store/planes.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import { decrypt, encrypt } from '../../tenancy/secrets/encrypt.ts'

export interface OriginalRef extends SandboxRef {
  readonly id: string
}

/** Path and media type of an original. */
export interface OriginalManifest {
  path: string
  type?: string
}

type StoragePlanes = Pick<Planes, 'knowledge' | 'room'>

/** Size of a part in bytes: large enough for few requests per file, small enough for little memory. */
const PART_BYTES = 4 * 1024 * 1024 - 1024

function contextOf({ sandboxId, id }: OriginalRef, part: string | number): string[] {
  return ['original', sandboxId, id, String(part)]
}

/** Returns the manifest of an original, encrypted with its key. */
export function encryptManifest(ref: OriginalRef, key: Buffer, manifest: OriginalManifest): Buffer {
  return encrypt(key, contextOf(ref, 'manifest'), Buffer.from(JSON.stringify(manifest)))
}

/** Reverses `encryptManifest`. Throws DecryptionFailed. */
export function decryptManifest(ref: OriginalRef, key: Buffer, manifest: Buffer): OriginalManifest {
  return JSON.parse(decrypt(key, contextOf(ref, 'manifest'), manifest).toString()) as OriginalManifest
}

/** Writes an original to its sandbox's storage in encrypted parts. They are durable when this resolves. */
export async function writeOriginal(
  { knowledge, room }: StoragePlanes,
  ref: OriginalRef,
  key: Buffer,
  bytes: Uint8Array,
): Promise<void> {
  const store = await knowledge.store(ref)
  for (let part = 0; part * PART_BYTES < bytes.length; part += 1) {
    await room.assert()
    const plain = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
    await store.writeOriginalPart(`${ref.id}-${part}`, encrypt(key, contextOf(ref, part), plain))
  }
}

/** Yields the decrypted parts of an original. Throws an error if a part is missing or cannot be decrypted. */
export async function* readOriginal(
  { knowledge }: Pick<Planes, 'knowledge'>,
  ref: OriginalRef,
  key: Buffer,
  bytes: number,
): AsyncGenerator<Buffer> {
  const store = await knowledge.store(ref)
  for (let part = 0; part * PART_BYTES < bytes; part += 1) {
    const sealed = await store.readOriginalPart(`${ref.id}-${part}`)
    if (!sealed) throw new Error('A part of an original is missing.')
    yield decrypt(key, contextOf(ref, part), Buffer.from(sealed))
  }
}

/** Returns the id of the original that a part belongs to. */
export function originalOfPart(name: string): string {
  return name.slice(0, name.lastIndexOf('-'))
}

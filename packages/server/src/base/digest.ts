import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** The SHA-256 of a text or of bytes. */
export function sha256(input: string | Uint8Array): Buffer {
  return hash('sha256', input, 'buffer')
}

/** The HMAC-SHA-256 of a text or of bytes under a key. */
export function hmacSha256(key: Uint8Array, input: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(input).digest()
}

/** Whether two digests are equal, in a time that does not depend on where they differ. */
export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}

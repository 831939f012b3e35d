import { createHmac, hash, timingSafeEqual } from 'node:crypto'

export function sha256(input: string | Uint8Array): Buffer {
  return hash('sha256', input, 'buffer')
}

export function hmacSha256(key: Uint8Array, input: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(input).digest()
}

/** Compares two digests in constant time. */
export function sameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}

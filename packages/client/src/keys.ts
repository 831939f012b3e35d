import { CairnError } from './errors.ts'

const encoder = new TextEncoder()
const KEY_BYTES = 32
const IV_BYTES = 12

/** Wire constants of §8 of the protocol. Every client derives and wraps keys with them. */
const DATA_KEY = { salt: 'olane-twin-brain-dek-v1', info: 'olane-dek' }
const WRAP = { salt: 'olane-session-wrap-v1', info: 'olane-wrap' }

/** Derives a sandbox's 32-byte data key from a secret of the caller (HKDF-SHA256). */
export async function deriveDataKey(masterSecret: string | Uint8Array): Promise<Uint8Array> {
  return derive(typeof masterSecret === 'string' ? encoder.encode(masterSecret) : masterSecret, DATA_KEY)
}

/**
 * Encrypts a data key for the header `X-Encryption-Token`: base64(iv ‖ ciphertext ‖ tag) of AES-256-GCM. The encryption
 * key is derived from the bearer token. `iv` defaults to 12 random bytes.
 */
export async function encryptionToken(
  dataKey: Uint8Array,
  bearer: string,
  iv: Uint8Array = crypto.getRandomValues(new Uint8Array(IV_BYTES)),
): Promise<string> {
  const wrapping = await derive(encoder.encode(bearer), WRAP)
  const key = await crypto.subtle.importKey('raw', unshared(wrapping), 'AES-GCM', false, ['encrypt'])
  const ciphertext = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: unshared(iv) }, key, unshared(dataKey))
  return toBase64(new Uint8Array([...iv, ...new Uint8Array(ciphertext)]))
}

/** Returns a data key as bytes, from bytes or base64. Throws CairnError unless it is 32 bytes long. */
export function dataKeyOf(key: string | Uint8Array): Uint8Array {
  const bytes = typeof key === 'string' ? fromBase64(key) : key
  if (bytes?.length !== KEY_BYTES) throw new CairnError('A customer-managed key must be 32 bytes, or these in base64.')
  return bytes
}

/** Decodes base64; returns undefined if it is invalid. */
function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Encodes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

async function derive(secret: Uint8Array, { salt, info }: { salt: string; info: string }): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', unshared(secret), 'HKDF', false, ['deriveBits'])
  const how = { name: 'HKDF', hash: 'SHA-256', salt: encoder.encode(salt), info: encoder.encode(info) }
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, KEY_BYTES * 8))
}

/** Narrows the type to bytes that are not in shared memory, as WebCrypto's types require. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>
}

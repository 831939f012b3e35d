import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { hmacSha256, sameDigest } from '../../base/digest.ts'

/** Thrown when a sealed value was changed, was moved to another place, or was sealed by another key. */
export class SealBroken extends Error {
  override name = 'SealBroken'
}

/** Where a sealed value belongs: whoever moves it elsewhere cannot open it there. */
type SealPlace = readonly string[]

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const VERSION = 1
const COMMITMENT_BYTES = 32
/** The nonce length that GCM is made for. A data key seals far fewer values than the 2^32 that random ones allow. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
const COMMITMENT_AT = 1
const NONCE_AT = COMMITMENT_AT + COMMITMENT_BYTES
const BODY_AT = NONCE_AT + NONCE_BYTES

/**
 * Seals bytes for one place: version (1 byte), commitment (32), nonce (12), AES-256-GCM ciphertext, tag (16). GCM alone
 * would let one ciphertext open under two keys; the commitment names the one key.
 */
export function seal(key: Buffer, place: SealPlace, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const bound = bind(place)
  const cipher = createCipheriv(CIPHER, derive(key, 'seal'), nonce, { authTagLength: TAG_BYTES }).setAAD(bound)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), commit(key, nonce, bound), nonce, body, cipher.getAuthTag()])
}

/** The bytes that were sealed with this key for this place; throws SealBroken for anything else. */
export function unseal(key: Buffer, place: SealPlace, sealed: Buffer): Buffer {
  if (sealed.length < BODY_AT + TAG_BYTES || sealed[0] !== VERSION) throw new SealBroken('not a sealed value')
  const nonce = sealed.subarray(NONCE_AT, BODY_AT)
  const bound = bind(place)
  const commitment = sealed.subarray(COMMITMENT_AT, NONCE_AT)
  if (!sameDigest(commitment, commit(key, nonce, bound))) throw new SealBroken('sealed for another place or key')
  const tagAt = sealed.length - TAG_BYTES
  const cipher = createDecipheriv(CIPHER, derive(key, 'seal'), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(bound).setAuthTag(sealed.subarray(tagAt))
  try {
    return Buffer.concat([cipher.update(sealed.subarray(BODY_AT, tagAt)), cipher.final()])
  } catch (cause) {
    throw new SealBroken('changed since it was sealed', { cause })
  }
}

/** A new key to seal with. */
export function newSealKey(): Buffer {
  return randomBytes(KEY_BYTES)
}

function commit(key: Buffer, nonce: Buffer, bound: Buffer): Buffer {
  return hmacSha256(derive(key, 'commit'), Buffer.concat([nonce, bound]))
}

/** As JSON, so that two places never have the same text. */
function bind(place: SealPlace): Buffer {
  return Buffer.from(JSON.stringify([VERSION, ...place]))
}

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, 'cairn', purpose, KEY_BYTES))
}

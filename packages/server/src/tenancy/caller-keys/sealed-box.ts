import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { SealBroken } from '../secrets/seal.ts'

/** A sandbox's public key, to which anybody can seal and only the holder of its caller's key can open. */
export type PublicKey = Buffer

const VERSION = 1
const KEY_BYTES = 32
const TAG_BYTES = 16
const BODY_AT = 1 + KEY_BYTES
/** Every box has a key of its own, so one nonce serves all. */
const NONCE = Buffer.alloc(12)
const CIPHER = 'aes-256-gcm'
const INFO = 'cairn-caller-key-v1/box'
/** What RFC 8410 puts before the 32 bytes of an X25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SPKI = Buffer.from('302a300506032b656e032100', 'hex')

/** The X25519 key of 32 secret bytes. */
export function privateKeyOf(secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' })
}

/** The public half of an X25519 key, 32 bytes. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const half = key.type === 'public' ? key : createPublicKey(key)
  return half.export({ type: 'spki', format: 'der' }).subarray(SPKI.length)
}

/**
 * Seals bytes to a public key for one place: version (1 byte), a fresh public key (32), AES-256-GCM ciphertext and tag
 * (16) under HKDF-SHA256 of the X25519 secret, with both public keys as its salt and the place as associated data.
 */
export function sealTo(to: PublicKey, place: string, plain: Uint8Array): Buffer {
  const own = generateKeyPairSync('x25519')
  const ephemeral = publicKeyOf(own.publicKey)
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, to]), format: 'der', type: 'spki' })
  const key = boxKey(diffieHellman({ privateKey: own.privateKey, publicKey }), ephemeral, to)
  const cipher = createCipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), ephemeral, body, cipher.getAuthTag()])
}

/** The bytes that were sealed to this key's public half for this place; throws SealBroken for anything else. */
export function openBox(privateKey: KeyObject, place: string, box: Buffer): Buffer {
  if (box.length < BODY_AT + TAG_BYTES || box[0] !== VERSION) throw new SealBroken('not a sealed box')
  const ephemeral = box.subarray(1, BODY_AT)
  const tagAt = box.length - TAG_BYTES
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([SPKI, ephemeral]), format: 'der', type: 'spki' })
    const key = boxKey(diffieHellman({ privateKey, publicKey }), ephemeral, publicKeyOf(privateKey))
    const cipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
    cipher.setAuthTag(box.subarray(tagAt))
    return Buffer.concat([cipher.update(box.subarray(BODY_AT, tagAt)), cipher.final()])
  } catch (cause) {
    throw new SealBroken('sealed to another key or place, or changed', { cause })
  }
}

function boxKey(shared: Buffer, ephemeral: Buffer, to: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, Buffer.concat([ephemeral, to]), INFO, KEY_BYTES))
}

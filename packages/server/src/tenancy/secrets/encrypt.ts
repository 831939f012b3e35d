import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { hmacSha256, sameDigest } from '../../base/digest.ts'

/** Thrown if an encrypted value was altered, moved to another place or encrypted with another key. */
export class DecryptionFailed extends Error {
  override name = 'DecryptionFailed'
}

/** Additional authenticated data (AAD): the place of an encrypted value. The value cannot be decrypted elsewhere. */
type AssociatedData = readonly string[]

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const VERSION = 1
const COMMITMENT_BYTES = 32
/** Nonce bytes of GCM. Random 96-bit nonces are safe: a data key encrypts far fewer than 2^32 values. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
const COMMITMENT_AT = 1
const NONCE_AT = COMMITMENT_AT + COMMITMENT_BYTES
const BODY_AT = NONCE_AT + NONCE_BYTES

/**
 * Encrypts bytes for one place: version (1 byte), key commitment (32), nonce (12), AES-256-GCM ciphertext, tag (16).
 * GCM is not key-committing: one ciphertext may decrypt under two keys. The commitment prevents that.
 */
export function encrypt(key: Buffer, place: AssociatedData, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const bound = bind(place)
  const cipher = createCipheriv(CIPHER, derive(key, 'seal'), nonce, { authTagLength: TAG_BYTES }).setAAD(bound)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), commit(key, nonce, bound), nonce, body, cipher.getAuthTag()])
}

/** Decrypts a result of `encrypt`. Throws DecryptionFailed if it was altered, or if the key or place differs. */
export function decrypt(key: Buffer, place: AssociatedData, sealed: Buffer): Buffer {
  if (sealed.length < BODY_AT + TAG_BYTES || sealed[0] !== VERSION) throw new DecryptionFailed('not an encrypted value')
  const nonce = sealed.subarray(NONCE_AT, BODY_AT)
  const bound = bind(place)
  const commitment = sealed.subarray(COMMITMENT_AT, NONCE_AT)
  if (!sameDigest(commitment, commit(key, nonce, bound)))
    throw new DecryptionFailed('encrypted for another context or with another key')
  const tagAt = sealed.length - TAG_BYTES
  const cipher = createDecipheriv(CIPHER, derive(key, 'seal'), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(bound).setAuthTag(sealed.subarray(tagAt))
  try {
    return Buffer.concat([cipher.update(sealed.subarray(BODY_AT, tagAt)), cipher.final()])
  } catch (cause) {
    throw new DecryptionFailed('altered after encryption', { cause })
  }
}

export function newDataKey(): Buffer {
  return randomBytes(KEY_BYTES)
}

function commit(key: Buffer, nonce: Buffer, bound: Buffer): Buffer {
  return hmacSha256(derive(key, 'commit'), Buffer.concat([nonce, bound]))
}

/** Returns the place as bytes. JSON keeps different places distinct. */
function bind(place: AssociatedData): Buffer {
  return Buffer.from(JSON.stringify([VERSION, ...place]))
}

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, 'cairn', purpose, KEY_BYTES))
}

/** Public key of a sandbox. Anyone can encrypt to it; only the holder of the customer-managed key can decrypt. */
export type PublicKey = Buffer
const BOX_BODY_AT = 1 + KEY_BYTES
/** Each box has a fresh key, so a constant nonce is safe. */
const NONCE = Buffer.alloc(12)
const INFO = 'cairn-caller-key-v1/box'
/** DER prefixes of an X25519 key (RFC 8410); the 32 key bytes follow. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SPKI = Buffer.from('302a300506032b656e032100', 'hex')

/** Returns the X25519 private key of 32 secret bytes. */
export function privateKeyOf(secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' })
}

/** Returns the public part of an X25519 key, 32 bytes. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const half = key.type === 'public' ? key : createPublicKey(key)
  return half.export({ type: 'spki', format: 'der' }).subarray(SPKI.length)
}

/**
 * Encrypts bytes to a public key for one place: version (1 byte), ephemeral public key (32), AES-256-GCM ciphertext,
 * tag (16). The key is HKDF-SHA256 of the X25519 shared secret, with both public keys as salt. The place is the
 * associated data.
 */
export function encryptTo(to: PublicKey, place: string, plain: Uint8Array): Buffer {
  const own = generateKeyPairSync('x25519')
  const ephemeral = publicKeyOf(own.publicKey)
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, to]), format: 'der', type: 'spki' })
  const key = boxKey(diffieHellman({ privateKey: own.privateKey, publicKey }), ephemeral, to)
  const cipher = createCipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), ephemeral, body, cipher.getAuthTag()])
}

/** Decrypts a box of `encryptTo`. Throws DecryptionFailed unless it was encrypted to this key for this place. */
export function openBox(privateKey: KeyObject, place: string, box: Buffer): Buffer {
  if (box.length < BOX_BODY_AT + TAG_BYTES || box[0] !== VERSION) throw new DecryptionFailed('not an encrypted box')
  const ephemeral = box.subarray(1, BOX_BODY_AT)
  const tagAt = box.length - TAG_BYTES
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([SPKI, ephemeral]), format: 'der', type: 'spki' })
    const key = boxKey(diffieHellman({ privateKey, publicKey }), ephemeral, publicKeyOf(privateKey))
    const cipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
    cipher.setAuthTag(box.subarray(tagAt))
    return Buffer.concat([cipher.update(box.subarray(BOX_BODY_AT, tagAt)), cipher.final()])
  } catch (cause) {
    throw new DecryptionFailed('encrypted to another key or context, or altered', { cause })
  }
}

function boxKey(shared: Buffer, ephemeral: Buffer, to: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, Buffer.concat([ephemeral, to]), INFO, KEY_BYTES))
}

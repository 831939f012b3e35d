import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'
import type { FailedRecord } from '@cairnstore/contract'
import type { KeyHash } from '@cairnstore/engine/text'
import { sameDigest } from '../../base/digest.ts'
import { once } from '../../base/one-at-a-time.ts'
import { DecryptionFailed, encryptTo, openBox, type PublicKey, privateKeyOf, publicKeyOf } from '../secrets/encrypt.ts'
import { createRotation, type RotateVector } from './rotate-vectors.ts'

/** The keys of a sandbox before and after a rotation. */
export interface KeyChange {
  readonly before: ContentCipher
  readonly after: ContentCipher
}

/** Stored data of a customer-managed key (CMK). It can verify the key and encrypt to it, but not decrypt. */
export interface StoredKey {
  /** HKDF output of the key, which identifies it. */
  readonly commitment: Buffer
  readonly publicKey: PublicKey
  /** Encrypted secrets of former key pairs, for pending values that were encrypted to those. */
  readonly former: readonly Buffer[]
}

/** Cryptographic functions of a sandbox's customer-managed key. They exist only while a request or job needs them. */
export interface ContentCipher {
  readonly sandboxId: string
  /** Number of the sandbox's key, from 1. Content encrypted under another epoch's key cannot be decrypted. */
  readonly epoch: number
  readonly storedKey: StoredKey
  /** Public identifier of the key. It differs between sandboxes. */
  readonly fingerprint: string
  /** Hashes terms and keys of records: HMAC-SHA256, the first 52 bits. */
  readonly hash: KeyHash
  /** Returns true if this is the sandbox's key. */
  matches(stored: StoredKey): boolean
  /** Encrypts with AES-256-GCM and `place` as AAD: version (1 byte), nonce (12), ciphertext, tag (16). */
  encrypt(place: string, plain: Uint8Array): Buffer
  /** Decrypts a result of `encrypt`. Throws DecryptionFailed if it was altered, or if the place or key differs. */
  decrypt(place: string, sealed: Uint8Array): Buffer
  /** Encrypts a short text deterministically. The ciphertexts reveal only which texts are equal. */
  encryptText(text: string): string
  /** Decrypts a result of `encryptText`. Throws DecryptionFailed if it was altered. */
  decryptText(ciphertext: string): string
  /** Decrypts a box that was encrypted to the sandbox's public key for a place. */
  decryptBox(place: string, box: Buffer): Buffer
  /** Encrypts the tie-breaker of records with equal scores. The stored value reveals nothing about the content. */
  encryptTieBreaker(recordId: string, tie: number): number
  decryptTieBreaker(recordId: string, hidden: number): number
  /** Rotates a vector. The result's binary code reveals the similarity of records, but not their content. */
  rotate: RotateVector
  /** Returns the data to store about this key when it replaces `before`. */
  after(before: ContentCipher): StoredKey
  /** Returns the secrets of this key pair and of former ones, for the next key. */
  boxSecrets(): Buffer[]
  /** Returns the HMAC of a request's digest. Nobody without the key can use it to confirm a guessed body. */
  digest(fingerprint: Uint8Array): Buffer
}

const VERSION = 1
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const BODY_AT = 1 + NONCE_BYTES
const FINGERPRINT_BYTES = 16
/** Number of nonces drawn in one call. A call for twelve bytes costs as much as an encryption. */
const NONCES_AT_ONCE = 256
/** Maximum numbers of cached hashes and encrypted texts per key. Both repeat a lot. */
const HASHES_MAX = 200_000
const TEXTS_MAX = 10_000
const HIGH_MASK = 2 ** 20 - 1
const LOW_SPAN = 2 ** 32
/** Texts stored in plaintext. The graph distinguishes the entity type `person` from other types. */
const PLAINTEXTS: ReadonlySet<string> = new Set(['', 'person'])
const CIPHERTEXT_PREFIX = '~'
/** Associated data of former key secrets, and their maximum number. Older failures of jobs cannot be decrypted. */
const FORMER = 'former'
const FORMER_MAX = 8

/** Creates the cipher functions of a sandbox's customer-managed key. Each subkey is derived on first use. */
export function createContentCipher(
  callerKey: Uint8Array,
  sandboxId: string,
  epoch: number,
  former: readonly Buffer[] = [],
): ContentCipher {
  const root = Buffer.from(callerKey)
  const bytesFor = (purpose: string, length = KEY_BYTES) =>
    Buffer.from(hkdfSync('sha256', root, sandboxId, `cairn-caller-key-v1/${purpose}`, length))
  const keyFor = (purpose: string) => once(() => createSecretKey(bytesFor(purpose)))
  const content = keyFor('content')
  const names = keyFor('names')
  const nameNonces = keyFor('name nonces')
  const tieBreakers = keyFor('ties')
  const requests = keyFor('requests')
  let rotation: { length: number; rotate: RotateVector } | undefined
  const privateKey = once(() => privateKeyOf(bytesFor('box')))
  const encryptedTexts = createMemo<string>(TEXTS_MAX, (text) => {
    const nonce = createHmac('sha256', nameNonces()).update(text).digest().subarray(0, NONCE_BYTES)
    return CIPHERTEXT_PREFIX + encrypt(names(), nonce, '', Buffer.from(text)).toString('base64url')
  })
  const decryptedTexts = createMemo<string>(TEXTS_MAX, (text) =>
    decrypt(names(), '', Buffer.from(text.slice(CIPHERTEXT_PREFIX.length), 'base64url')).toString(),
  )
  const storedKey = once(() => ({ commitment: bytesFor('commitment'), publicKey: publicKeyOf(privateKey()), former }))
  const formerSecrets = once(() => former.map((sealed) => decrypt(content(), FORMER, sealed)))
  return {
    sandboxId,
    epoch,
    get storedKey() {
      return storedKey()
    },
    get fingerprint() {
      return bytesFor('fingerprint', FINGERPRINT_BYTES).toString('hex')
    },
    hash: createMemo(HASHES_MAX, keyedHash(keyFor('hashes'))),
    matches: ({ commitment }) => sameDigest(commitment, bytesFor('commitment')),
    encrypt: (place, plain) => encrypt(content(), nextNonce(), place, plain),
    decrypt: (place, sealed) => decrypt(content(), place, sealed),
    encryptText: (text) => (PLAINTEXTS.has(text) ? text : encryptedTexts(text)),
    decryptText: (text) => (text.startsWith(CIPHERTEXT_PREFIX) ? decryptedTexts(text) : text),
    decryptBox: (place, box) =>
      decryptWithAny([privateKey, ...formerSecrets().map((secret) => () => privateKeyOf(secret))], place, box),
    encryptTieBreaker: (recordId, tie) => permuteTieBreaker(tieBreakers(), recordId, tie),
    decryptTieBreaker: (recordId, tie) => unpermuteTieBreaker(tieBreakers(), recordId, tie),
    rotate: (vector) => {
      const { length } = vector
      if (rotation?.length !== length) rotation = { length, rotate: createRotation(bytesFor('vectors'), length) }
      return rotation.rotate(vector)
    },
    boxSecrets: () => [bytesFor('box'), ...formerSecrets()].slice(0, FORMER_MAX),
    after: (before) => ({
      ...storedKey(),
      former: before.boxSecrets().map((secret) => encrypt(content(), nextNonce(), FORMER, secret)),
    }),
    digest: (fingerprint) => createHmac('sha256', requests()).update(fingerprint).digest(),
  }
}

/** Decrypts a box with the first matching key. Throws DecryptionFailed if none matches. */
function decryptWithAny(keys: readonly (() => KeyObject)[], place: string, box: Buffer): Buffer {
  for (const [at, key] of keys.entries()) {
    try {
      return openBox(key(), place, box)
    } catch (error) {
      if (!(error instanceof DecryptionFailed) || at === keys.length - 1) throw error
    }
  }
  throw new DecryptionFailed('no key to decrypt it')
}

/** Memoizes a function. The cache is cleared when it has `max` entries. */
function createMemo<T>(max: number, of: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const cached = known.get(text)
    if (cached !== undefined) return cached
    if (known.size >= max) known.clear()
    const made = of(text)
    known.set(text, made)
    return made
  }
}

function keyedHash(key: () => KeyObject): KeyHash {
  return (text) => {
    const digest = createHmac('sha256', key()).update(text).digest()
    return (digest.readUInt32LE(4) & HIGH_MASK) * LOW_SPAN + digest.readUInt32LE(0)
  }
}

let nonces = Buffer.alloc(0)
let nextAt = 0

function nextNonce(): Buffer {
  if (nextAt >= nonces.length) {
    nonces = randomFillSync(Buffer.allocUnsafe(NONCES_AT_ONCE * NONCE_BYTES))
    nextAt = 0
  }
  nextAt += NONCE_BYTES
  return nonces.subarray(nextAt - NONCE_BYTES, nextAt)
}

function encrypt(key: KeyObject, nonce: Buffer, place: string, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
  const body = cipher.update(plain)
  return Buffer.concat([Buffer.of(VERSION), nonce, body, cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: KeyObject, place: string, sealed: Uint8Array): Buffer {
  if (sealed.length < BODY_AT + TAG_BYTES || sealed[0] !== VERSION) throw new DecryptionFailed('not encrypted content')
  const tagAt = sealed.length - TAG_BYTES
  const cipher = createDecipheriv(CIPHER, key, sealed.subarray(1, BODY_AT), { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(tagAt))
  try {
    const plain = cipher.update(sealed.subarray(BODY_AT, tagAt))
    cipher.final()
    return plain
  } catch (cause) {
    throw new DecryptionFailed('encrypted for another context or with another key, or altered', { cause })
  }
}

/** Bits of each half of a 52-bit tie-breaker. */
const HALF_BITS = 26
const HALF_SPAN = 2 ** HALF_BITS
/** Four Feistel rounds over a pseudorandom function give a strong pseudorandom permutation (Luby and Rackoff). */
const ROUNDS = 4

/**
 * Encrypts a tie-breaker by a permutation of the numbers below 2^52, keyed by the key and the record. A tie-breaker is
 * a hash of the record's content and equal in every sandbox, so that rankings agree. Stored in plaintext, it could
 * confirm a guess of the content. A keyed hash in its place would change the ranking.
 */
function permuteTieBreaker(key: KeyObject, recordId: string, tie: number): number {
  let left = Math.floor(tie / HALF_SPAN)
  let right = tie % HALF_SPAN
  for (let round = 0; round < ROUNDS; round++) {
    const next = left ^ roundOf(key, recordId, round, right)
    left = right
    right = next
  }
  return left * HALF_SPAN + right
}

function unpermuteTieBreaker(key: KeyObject, recordId: string, hidden: number): number {
  let left = Math.floor(hidden / HALF_SPAN)
  let right = hidden % HALF_SPAN
  for (let round = ROUNDS - 1; round >= 0; round--) {
    const before = right ^ roundOf(key, recordId, round, left)
    right = left
    left = before
  }
  return left * HALF_SPAN + right
}

function roundOf(key: KeyObject, recordId: string, round: number, half: number): number {
  const digest = createHmac('sha256', key).update(`${recordId}\n${round}\n${half}`).digest()
  return digest.readUInt32LE(0) & (HALF_SPAN - 1)
}

/** A failed record in a job's row. Its identity and reason are content and therefore encrypted. */
export type StoredFailure = FailedRecord | { line: number; reason: string; sealed: string }

const DETAIL_HIDDEN = 'Send the sandbox’s key to see the record and the reason.'

/** Returns a job's failures for storage, encrypted if the sandbox has a public key. */
export function encryptFailures(
  jobId: string,
  failures: readonly StoredFailure[],
  to: PublicKey | undefined,
): StoredFailure[] {
  if (!to) return [...failures]
  return failures.map((failure) => {
    if ('sealed' in failure) return failure
    const { line, reason, ...rest } = failure
    const sealed = encryptTo(to, associatedDataOf(jobId), Buffer.from(JSON.stringify(rest)))
    return { line, reason, sealed: sealed.toString('base64') }
  })
}

/** Returns the wire form of a failure. Only a holder of the key gets its details. */
export function wireFailure(jobId: string, failure: StoredFailure, seal: ContentCipher | undefined): FailedRecord {
  if (!('sealed' in failure)) return failure
  const { line, reason, sealed } = failure
  if (!seal) return { line, reason, detail: DETAIL_HIDDEN }
  const rest = JSON.parse(seal.decryptBox(associatedDataOf(jobId), Buffer.from(sealed, 'base64')).toString())
  return { line, reason, ...(rest as Omit<FailedRecord, 'line' | 'reason'>) }
}

function associatedDataOf(jobId: string): string {
  return `failures/${jobId}`
}

/** Returns true if bytes have the layout of encrypted content. Does not need the key. */
export function isEncryptedContent(bytes: Uint8Array): boolean {
  return bytes[0] === VERSION && bytes.length >= BODY_AT + TAG_BYTES
}

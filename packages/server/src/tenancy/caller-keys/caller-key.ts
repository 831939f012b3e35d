import { createDecipheriv, hkdfSync } from 'node:crypto'
import type { ContentUse } from '@cairnstore/contract'
import { sameDigest } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import type { AccessScope } from '../access/access-scope.ts'
import { type ContentCipher, createContentCipher } from './content-cipher.ts'
import { type HeldKeys, readStoredKey } from './retained-keys.ts'

/** The two key headers as received. An empty header counts as absent. */
interface KeyHeaders {
  readonly token: string | undefined
  readonly key: string | undefined
}

/** HKDF parameters of the wrapping key (contract §8). Deployed clients use the same values. */
const WRAP = { salt: 'olane-session-wrap-v1', info: 'olane-wrap' } as const

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const TOKEN_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES

/**
 * Returns the caller's 32-byte data key, or undefined if neither header is present. A wrong length and a failed
 * decryption both throw `encryption_header_invalid`. Two headers with different keys throw
 * `encryption_headers_conflict`.
 * @param bearer the bearer credential of the request; the wrapping key is derived from it
 */
export function readCallerKey(headers: KeyHeaders, bearer: string): Buffer | undefined {
  const bare = headers.key ? decode(headers.key, KEY_BYTES) : undefined
  const wrapped = headers.token ? unwrapToken(decode(headers.token, TOKEN_BYTES), bearer) : undefined
  if (bare && wrapped && !sameDigest(bare, wrapped)) throw new Fault('encryption_headers_conflict')
  return wrapped ?? bare
}

function unwrapToken(token: Buffer, bearer: string): Buffer {
  const tagAt = TOKEN_BYTES - TAG_BYTES
  const cipher = createDecipheriv(CIPHER, wrappingKey(bearer), token.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  cipher.setAuthTag(token.subarray(tagAt))
  try {
    return Buffer.concat([cipher.update(token.subarray(NONCE_BYTES, tagAt)), cipher.final()])
  } catch (cause) {
    throw new Fault('encryption_header_invalid', { cause })
  }
}

/** Decodes padded standard base64 of exactly `length` bytes. Throws `encryption_header_invalid`. */
function decode(text: string, length: number): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== length || bytes.toString('base64') !== text) throw new Fault('encryption_header_invalid')
  return bytes
}

function wrappingKey(bearer: string): Buffer {
  return Buffer.from(hkdfSync('sha256', bearer, WRAP.salt, WRAP.info, KEY_BYTES))
}

/** The customer-managed key of a request, for the request's sandbox. */
export type RequestKey = ReturnType<typeof toRequestKey>

/** Epoch of a sandbox's first key. */
export const FIRST_EPOCH = 1

/**
 * Returns the request's key for its sandbox. The first write may bind an empty sandbox to the key. A sandbox with
 * plaintext content ignores the key. Throws `mismatch` for another key, and `missing` if the sandbox needs a key and
 * the request has none. For `credentials` the handler checks for a missing key. Uses `newKey` if it matches, because a
 * completed key change may be repeated.
 */
export function openRequestKey(
  seals: HeldKeys,
  use: ContentUse | undefined,
  access: AccessScope | undefined,
  callerKey: Buffer | undefined,
  newKey?: Buffer,
): RequestKey | undefined {
  if (use === undefined || access === undefined) return undefined
  const { sandboxId, sandbox, head } = access
  const stored = readStoredKey(sandbox.caller_key)
  if (!stored) {
    const mayBind = use === 'writes' || use === 'credentials'
    return callerKey && mayBind
      ? toRequestKey(seals, createContentCipher(callerKey, sandboxId, FIRST_EPOCH))
      : undefined
  }
  if (!callerKey) {
    if (use === 'mentions' || use === 'credentials') return undefined
    throw new Fault('missing')
  }
  const epoch = head.keyEpoch ?? FIRST_EPOCH
  const given = newKey ? [callerKey, newKey] : [callerKey]
  const seal = given
    .map((key) => createContentCipher(key, sandboxId, epoch, stored.former))
    .find((each) => each.matches(stored))
  if (!seal) throw new Fault('mismatch')
  // A key that is already held is reused, because its derived subkeys are cached.
  const held = seals.find(sandboxId, epoch)
  const key = toRequestKey(seals, held?.matches(stored) ? held : seal)
  key.hold()
  return key
}

/** Wraps a request's key. Jobs can use it only after `hold`. */
export function toRequestKey(seals: HeldKeys, seal: ContentCipher) {
  let release: (() => void) | undefined
  return {
    seal,
    /** Makes the key available to this process's jobs until `release`. */
    hold: () => {
      release ??= seals.hold(seal)
    },
    /** Ends `hold`. */
    release: () => {
      release?.()
      release = undefined
    },
  }
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { ContentUse } from '@cairnstore/contract'
import { sameDigest } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import type { Reach } from '../reach/reach.ts'
import { type ContentSeal, createContentSeal } from './content-seal.ts'
import { type HeldSeals, readKeptKey } from './kept-keys.ts'

/** The two headers as they came; one that is empty counts as absent. */
interface KeyHeaders {
  readonly token: string | undefined
  readonly key: string | undefined
}

/** Contract §8: what clients in use derive the wrapping key and the data key with. */
const WRAP = { salt: 'olane-session-wrap-v1', info: 'olane-wrap' } as const
const DATA_KEY = { salt: 'olane-twin-brain-dek-v1', info: 'olane-dek' } as const

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const TOKEN_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES

/**
 * The caller's 32-byte data key, or undefined when neither header brings one. A wrong length and a wrong seal give the
 * same `encryption_header_invalid`; two headers that hold different keys give `encryption_headers_conflict`.
 * @param bearer the credential of the request, under which the token is sealed
 */
export function readCallerKey(headers: KeyHeaders, bearer: string): Buffer | undefined {
  const bare = headers.key ? decode(headers.key, KEY_BYTES) : undefined
  const wrapped = headers.token ? unwrapToken(decode(headers.token, TOKEN_BYTES), bearer) : undefined
  if (bare && wrapped && !sameDigest(bare, wrapped)) throw new Fault('encryption_headers_conflict')
  return wrapped ?? bare
}

/** The token of a data key under a bearer, as clients make it. */
export function wrapToken(dataKey: Uint8Array, bearer: string, nonce: Uint8Array = randomBytes(NONCE_BYTES)): string {
  const cipher = createCipheriv(CIPHER, derive(bearer, WRAP), nonce, { authTagLength: TAG_BYTES })
  const sealed = Buffer.concat([cipher.update(dataKey), cipher.final()])
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64')
}

/** The data key of a master secret, as clients derive it. */
export function deriveDataKey(masterSecret: string | Uint8Array): Buffer {
  return derive(masterSecret, DATA_KEY)
}

function unwrapToken(token: Buffer, bearer: string): Buffer {
  const tagAt = TOKEN_BYTES - TAG_BYTES
  const cipher = createDecipheriv(CIPHER, derive(bearer, WRAP), token.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  cipher.setAuthTag(token.subarray(tagAt))
  try {
    return Buffer.concat([cipher.update(token.subarray(NONCE_BYTES, tagAt)), cipher.final()])
  } catch (cause) {
    throw new Fault('encryption_header_invalid', { cause })
  }
}

/** Decodes padded standard base64 of exactly this many bytes. */
function decode(text: string, length: number): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== length || bytes.toString('base64') !== text) throw new Fault('encryption_header_invalid')
  return bytes
}

function derive(secret: string | Uint8Array, { salt, info }: { salt: string; info: string }): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES))
}

/** The key that a request brought, for the sandbox that it is about. */
export interface RequestKey {
  readonly seal: ContentSeal
  /** Keeps the key at hand for the jobs of this process until the request has ended. */
  hold(): void
  /** Ends that. */
  release(): void
}

/** The epoch of a sandbox's first key. */
export const FIRST_EPOCH = 1

/**
 * Decides what the key of a request opens: the sandbox that is under it, an empty sandbox that may be put under it, or
 * nothing, since a sandbox without a key ignores it. Throws `mismatch` for another key, and `missing` for none, which
 * for `credentials` is left to the handler. When a change of key is repeated with both keys after it was made, the new
 * one is the sandbox's.
 */
export function unlock(
  seals: HeldSeals,
  use: ContentUse | undefined,
  reach: Reach | undefined,
  callerKey: Buffer | undefined,
  newKey?: Buffer,
): RequestKey | undefined {
  if (use === undefined || reach === undefined) return undefined
  const { sandboxId, sandbox, head } = reach
  const kept = readKeptKey(sandbox.caller_key)
  if (!kept) {
    const mayBind = use === 'writes' || use === 'credentials'
    return callerKey && mayBind ? toRequestKey(seals, createContentSeal(callerKey, sandboxId, FIRST_EPOCH)) : undefined
  }
  if (!callerKey) {
    if (use === 'mentions' || use === 'credentials') return undefined
    throw new Fault('missing')
  }
  const epoch = head.keyEpoch ?? FIRST_EPOCH
  const given = newKey ? [callerKey, newKey] : [callerKey]
  const seal = given.map((key) => createContentSeal(key, sandboxId, epoch, kept.former)).find((each) => each.fits(kept))
  if (!seal) throw new Fault('mismatch')
  // Whoever holds it already has worked out some of what it takes.
  const held = seals.find(sandboxId, epoch)
  const key = toRequestKey(seals, held?.fits(kept) ? held : seal)
  key.hold()
  return key
}

/** Returns a request's key, not yet held. */
export function toRequestKey(seals: HeldSeals, seal: ContentSeal): RequestKey {
  let release: (() => void) | undefined
  return {
    seal,
    hold: () => {
      release ??= seals.hold(seal)
    },
    release: () => {
      release?.()
      release = undefined
    },
  }
}

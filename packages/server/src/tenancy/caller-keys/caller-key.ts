import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sameDigest } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'

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

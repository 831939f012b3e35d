import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'cairn_'
const SECRET_BYTES = 32
const SECRET_CHARS = 43
const CHECKSUM_CHARS = 6
/** Characters of a key that are kept in the clear: enough to tell keys apart, too few to help a guess. */
const SHOWN_CHARS = 12
const DIGITS = '0123456789'
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const BASE62 = DIGITS + UPPER + LOWER
/** Keys that were made elsewhere may count the 62 digits in another order. */
const ORDERS = [BASE62, DIGITS + LOWER + UPPER, UPPER + LOWER + DIGITS]
const SHAPE = new RegExp(`^${PREFIX}([A-Za-z0-9_-]{${SECRET_CHARS}})([0-9A-Za-z]{${CHECKSUM_CHARS}})$`)

/** A new API key: `cairn_`, 32 random bytes in base64url, and the CRC32 of those characters in base62. */
export function newApiKey(): string {
  return newToken(PREFIX)
}

/** A new secret of another kind, told from an API key by its prefix. */
export function newToken(prefix: string): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return `${prefix}${secret}${inBase62(crc32(secret), BASE62)}`
}

/**
 * Whether a text has the form of an API key, its checksum included, taken of the characters or of the bytes they stand
 * for. It sorts out typing errors and other tokens; it proves nothing.
 */
export function isApiKey(text: string): boolean {
  const [, secret, checksum] = SHAPE.exec(text) ?? []
  if (secret === undefined) return false
  const sums = [crc32(secret), crc32(Buffer.from(secret, 'base64url'))]
  return sums.some((sum) => ORDERS.some((order) => inBase62(sum, order) === checksum))
}

/** The first characters of a key, to recognise it by. */
export function keyPrefix(key: string): string {
  return key.slice(0, SHOWN_CHARS)
}

function inBase62(value: number, order: string): string {
  let rest = value
  let digits = ''
  for (let i = 0; i < CHECKSUM_CHARS; i += 1) {
    digits = order.charAt(rest % order.length) + digits
    rest = Math.floor(rest / order.length)
  }
  return digits
}

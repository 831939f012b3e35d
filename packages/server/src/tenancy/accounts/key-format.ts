import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * What each kind of bearer token begins with, so that none can be used as another and scanners for leaked secrets tell
 * them apart.
 */
const TOKEN_PREFIXES = {
  apiKey: 'cairn_',
  connectionKey: 'cairnshare_',
  adminKey: 'cairnadmin_',
  webhookSecret: 'cairnhook_',
  session: 'cairnsession_',
  invitation: 'cairninvite_',
} as const

type TokenKind = keyof typeof TOKEN_PREFIXES

const SECRET_BYTES = 32
const SECRET_CHARS = 43
const CHECKSUM_CHARS = 6
/** Characters of the secret that are kept in the clear: enough to tell keys apart, too few to help a guess. */
const SHOWN_CHARS = 6
const DIGITS = '0123456789'
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const BASE62 = DIGITS + UPPER + LOWER
/** Keys that were made elsewhere may count the 62 digits in another order. */
const ORDERS = [BASE62, DIGITS + LOWER + UPPER, UPPER + LOWER + DIGITS]
const SECRET = new RegExp(`^([A-Za-z0-9_-]{${SECRET_CHARS}})([0-9A-Za-z]{${CHECKSUM_CHARS}})$`)

/** A new API key: `cairn_`, 32 random bytes in base64url, and the CRC32 of those characters in base62. */
export function newApiKey(): string {
  return newToken('apiKey')
}

/** A new token of a kind: its prefix, 32 random bytes in base64url, and the CRC32 of those characters in base62. */
export function newToken(kind: TokenKind): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return `${TOKEN_PREFIXES[kind]}${secret}${inBase62(crc32(secret), BASE62)}`
}

/** Whether a text has the form of an API key. */
export function isApiKey(text: string): boolean {
  return isToken('apiKey', text)
}

/** Whether a text has the form of a token of this kind; the checksum is not verified. */
export function looksLike(kind: TokenKind, text: string): boolean {
  const prefix = TOKEN_PREFIXES[kind]
  return text.startsWith(prefix) && SECRET.test(text.slice(prefix.length))
}

/**
 * Whether a text has the form of a token of this kind, its checksum included, taken of the characters or of the bytes
 * they stand for. It sorts out typing errors and other tokens; it proves nothing.
 */
function isToken(kind: TokenKind, text: string): boolean {
  const prefix = TOKEN_PREFIXES[kind]
  if (!text.startsWith(prefix)) return false
  const [, secret, checksum] = SECRET.exec(text.slice(prefix.length)) ?? []
  if (secret === undefined) return false
  const sums = [crc32(secret), crc32(Buffer.from(secret, 'base64url'))]
  return sums.some((sum) => ORDERS.some((order) => inBase62(sum, order) === checksum))
}

/** The first characters of a token, to recognise it by. */
export function keyPrefix(token: string): string {
  return token.slice(0, token.indexOf('_') + 1 + SHOWN_CHARS)
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

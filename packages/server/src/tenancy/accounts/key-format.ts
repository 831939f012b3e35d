import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Prefix of each kind of bearer token. A token of one kind is never valid as another. Secret scanners recognize it. */
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
/** Number of secret characters stored in plaintext: enough to identify a key, too few to help guess it. */
const PREFIX_CHARS = 6
const DIGITS = '0123456789'
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const BASE62 = DIGITS + UPPER + LOWER
/** Alphabets accepted for the checksum. Keys from other systems may order the 62 digits differently. */
const ORDERS = [BASE62, DIGITS + LOWER + UPPER, UPPER + LOWER + DIGITS]
const SECRET = new RegExp(`^([A-Za-z0-9_-]{${SECRET_CHARS}})([0-9A-Za-z]{${CHECKSUM_CHARS}})$`)

/** Returns a new API key: `cairn_`, 32 random bytes in base64url, and the CRC32 of those characters in base62. */
export function newApiKey(): string {
  return newToken('apiKey')
}

/** Returns a new token: its prefix, 32 random bytes in base64url, and the CRC32 of those characters in base62. */
export function newToken(kind: TokenKind): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return `${TOKEN_PREFIXES[kind]}${secret}${inBase62(crc32(secret), BASE62)}`
}

/** Returns true if a text has the form of an API key, including its checksum. */
export function isApiKey(text: string): boolean {
  return isToken('apiKey', text)
}

/** Returns true if a text has the form of a token of this kind. Does not verify the checksum. */
export function looksLike(kind: TokenKind, text: string): boolean {
  const prefix = TOKEN_PREFIXES[kind]
  return text.startsWith(prefix) && SECRET.test(text.slice(prefix.length))
}

/**
 * Returns true if a text has the form of a token of this kind and a valid checksum. The checksum may cover the
 * characters or the decoded bytes. It detects typing errors and proves nothing.
 */
function isToken(kind: TokenKind, text: string): boolean {
  const prefix = TOKEN_PREFIXES[kind]
  if (!text.startsWith(prefix)) return false
  const [, secret, checksum] = SECRET.exec(text.slice(prefix.length)) ?? []
  if (secret === undefined) return false
  const sums = [crc32(secret), crc32(Buffer.from(secret, 'base64url'))]
  return sums.some((sum) => ORDERS.some((order) => inBase62(sum, order) === checksum))
}

/** Returns the first characters of a token, for identification. */
export function keyPrefix(token: string): string {
  return token.slice(0, token.indexOf('_') + 1 + PREFIX_CHARS)
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

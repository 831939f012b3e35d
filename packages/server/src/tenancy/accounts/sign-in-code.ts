import type { Id } from '@cairnstore/contract'
import { hmacSha256, sameDigest } from '../../base/digest.ts'
import { isId } from '../../base/id.ts'

/** What a code says: the key that it becomes, whose it is, and until when it is good. */
export interface SignInCode {
  keyId: Id<'key'>
  userId: string
  expiresAt: Date
}

const DIGITS = 36

/**
 * A code that no table holds: what it says, in base64url, and its HMAC-SHA-256 under the service's key. The key that it
 * is exchanged for has the id that it names, so a second exchange finds that id taken, in whichever process it comes.
 */
export function writeCode(signingKey: Uint8Array, { keyId, userId, expiresAt }: SignInCode): string {
  const said = Buffer.from([keyId, expiresAt.getTime().toString(DIGITS), userId].join(' ')).toString('base64url')
  return `${said}.${hmacSha256(signingKey, said).toString('base64url')}`
}

/** What a code says; undefined for one that was not written under this key, of which nothing is read. */
export function readCode(signingKey: Uint8Array, code: string): SignInCode | undefined {
  const [said = '', mac = '', ...rest] = code.split('.')
  if (rest.length > 0 || !sameDigest(Buffer.from(mac, 'base64url'), hmacSha256(signingKey, said))) return undefined
  const [keyId = '', expires = '', ...userId] = Buffer.from(said, 'base64url').toString().split(' ')
  if (!isId('key', keyId)) return undefined
  return { keyId, expiresAt: new Date(Number.parseInt(expires, DIGITS)), userId: userId.join(' ') }
}

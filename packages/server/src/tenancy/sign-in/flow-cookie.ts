import { randomBytes } from 'node:crypto'
import { MS_PER_MINUTE } from '../../base/clock.ts'
import { hmacSha256, sameDigest } from '../../base/digest.ts'
import type { SignInSecrets } from '../oidc/oidc.ts'

/** Maximum milliseconds for a sign-in at the identity provider. */
export const SIGN_IN_MS = 10 * MS_PER_MINUTE

const SECRET_BYTES = 32

/** A pending sign-in in one browser. It is stored only in the cookie. */
export interface SignInFlow {
  /** Random secret. State, nonce and PKCE verifier are derived from it. */
  readonly secret: string
  readonly expiresAt: number
  readonly invitation: string | undefined
  readonly account: string | undefined
}

/** Creates a pending sign-in with a random secret. */
export function newFlow(now: Date, invitation: string | undefined, account: string | undefined): SignInFlow {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return { secret, expiresAt: now.getTime() + SIGN_IN_MS, invitation, account }
}

/** Derives the secrets of a sign-in. They are useless without its cookie. */
export function secretsOf({ secret }: SignInFlow): SignInSecrets {
  const derived = (purpose: string) => hmacSha256(Buffer.from(secret, 'base64url'), purpose).toString('base64url')
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('code verifier') }
}

/** Returns the cookie's value: the pending sign-in as JSON in base64url, and its HMAC under the service's key. */
export function writeFlow(key: Uint8Array, { secret, expiresAt, invitation, account }: SignInFlow): string {
  const content = Buffer.from(JSON.stringify([secret, expiresAt, invitation ?? null, account ?? null])).toString(
    'base64url',
  )
  return `${content}.${macOf(key, content)}`
}

/** Returns the pending sign-in of a cookie; undefined if it is forged or expired. */
export function readFlow(key: Uint8Array, value: string | undefined, now: Date): SignInFlow | undefined {
  const [content = '', mac = '', ...rest] = (value ?? '').split('.')
  if (rest.length > 0 || !sameDigest(Buffer.from(mac), Buffer.from(macOf(key, content)))) return undefined
  const [secret, expiresAt, invitation, account] = JSON.parse(Buffer.from(content, 'base64url').toString())
  if (expiresAt <= now.getTime()) return undefined
  return { secret, expiresAt, invitation: invitation ?? undefined, account: account ?? undefined }
}

function macOf(key: Uint8Array, content: string): string {
  return hmacSha256(key, `sign-in flow ${content}`).toString('base64url')
}

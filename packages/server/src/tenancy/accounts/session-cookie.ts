import { MS_PER_SECOND } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'

/** Names of the browser cookies: for a session, and for a pending sign-in at the identity provider. */
const NAMES = { session: 'cairn_session', signIn: 'cairn_sign_in' } as const

/** A cookie of this service. */
export type CookieName = keyof typeof NAMES

/** Host names of the loopback interface. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const VALUE = /^[\w.~-]{1,1024}$/
const COOKIE_CHARS_MAX = 8192

/** Returns true if the service runs on loopback without TLS, as with `npm start`. */
function isPlainLoopback(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'http:' && LOOPBACK.has(hostname)
}

/** Returns the full name of a cookie. The prefix `__Host-` keeps other hosts and plain HTTP from setting it. */
function nameOf(name: CookieName, publicUrl: string): string {
  return isPlainLoopback(publicUrl) ? NAMES[name] : `__Host-${NAMES[name]}`
}

/** Throws `https_required` if a browser could not store a cookie safely. */
export function assertCookiesWork(publicUrl: string): void {
  if (!publicUrl.startsWith('https://') && !isPlainLoopback(publicUrl)) throw new Fault('https_required')
}

/**
 * Throws `csrf` if a page of another site sends a sign-in, because it could sign the browser in to its own account.
 * Clients other than browsers send no `Origin`.
 */
export function assertOwnPage({ origin, publicUrl }: { origin: string | undefined; publicUrl: string }): void {
  if (origin !== undefined && !isOwnOrigin(origin, publicUrl)) throw new Fault('csrf')
}

/** Returns the value of a cookie. Undefined if it occurs twice, because another site may have set one. */
export function readCookie(header: string | undefined, name: CookieName, publicUrl: string): string | undefined {
  if (header === undefined || header.length > COOKIE_CHARS_MAX) return undefined
  const wanted = `${nameOf(name, publicUrl)}=`
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(wanted))
  const value = found.length === 1 ? found[0]!.slice(wanted.length) : undefined
  return value !== undefined && VALUE.test(value) ? value : undefined
}

/** Returns the `Set-Cookie` header that sets a cookie for `lifeMs` milliseconds. */
export function setCookie(name: CookieName, publicUrl: string, value: string, lifeMs: number): string {
  const secure = isPlainLoopback(publicUrl) ? [] : ['Secure']
  const seconds = Math.floor(lifeMs / MS_PER_SECOND)
  const parts = [`${nameOf(name, publicUrl)}=${value}`, 'Path=/', `Max-Age=${seconds}`]
  return [...parts, 'HttpOnly', 'SameSite=Lax', ...secure].join('; ')
}

/** Returns the `Set-Cookie` header that removes a cookie. */
export function clearCookie(name: CookieName, publicUrl: string): string {
  return setCookie(name, publicUrl, '', 0)
}

/** Returns true if `Origin` is this service. On loopback without TLS, all loopback names on the same port match. */
export function isOwnOrigin(origin: string | undefined, publicUrl: string): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false
  const own = new URL(publicUrl)
  const given = new URL(origin)
  if (given.origin === own.origin) return true
  return isPlainLoopback(publicUrl) && isPlainLoopback(given.origin) && given.port === own.port
}

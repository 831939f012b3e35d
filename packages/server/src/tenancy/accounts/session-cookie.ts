import { MS_PER_SECOND } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'

/** The cookies of browsers: of a session, and of a sign-in that is under way at the identity provider. */
const NAMES = { session: 'cairn_session', signIn: 'cairn_sign_in' } as const

/** A cookie of this service. */
export type CookieName = keyof typeof NAMES

/** Names by which a machine speaks to itself. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const VALUE = /^[\w.~-]{1,1024}$/
const COOKIE_CHARS_MAX = 8192

/** Returns true if the service is used on this machine without TLS, as `npm start` serves it. */
function isPlainLoopback(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'http:' && LOOPBACK.has(hostname)
}

/** Returns the full name of a cookie. The prefix `__Host-` keeps other hosts and plain http from setting it. */
function nameOf(name: CookieName, publicUrl: string): string {
  return isPlainLoopback(publicUrl) ? NAMES[name] : `__Host-${NAMES[name]}`
}

/** Throws `https_required` where a browser could not keep a cookie safely. */
export function assertCookiesWork(publicUrl: string): void {
  if (!publicUrl.startsWith('https://') && !isPlainLoopback(publicUrl)) throw new Fault('https_required')
}

/**
 * Returns the value of a cookie. Returns undefined if it comes more than once: one of them may have been set by
 * somebody else.
 */
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

/** Returns the `Set-Cookie` header that sets a cookie for so long. */
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

/**
 * Returns true for the `Origin` of this service's own pages. On this machine without TLS every name of the machine
 * counts, on the same port.
 */
export function isOwnOrigin(origin: string | undefined, publicUrl: string): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false
  const own = new URL(publicUrl)
  const given = new URL(origin)
  if (given.origin === own.origin) return true
  return isPlainLoopback(publicUrl) && isPlainLoopback(given.origin) && given.port === own.port
}

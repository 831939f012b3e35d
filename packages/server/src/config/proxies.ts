import { isIP } from 'node:net'
import { ConfigError } from './config-error.ts'

/** Proxies whose X-Forwarded headers are trusted: none, all, or these addresses. */
export type TrustedProxies = boolean | string[]

const RANGE_NAMES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])
const BITS_MAX: Record<number, number> = { 4: 32, 6: 128 }

/** Parses CAIRN_TRUST_PROXY. Throws ConfigError for invalid addresses. */
export function toTrustedProxies(value: string | undefined): TrustedProxies {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  const proxies = value.split(',').map((part) => part.trim())
  if (!proxies.every((proxy) => RANGE_NAMES.has(proxy) || isRange(proxy))) {
    throw new ConfigError('CAIRN_TRUST_PROXY must be true, false, or addresses such as "10.0.0.0/8, loopback".')
  }
  return proxies
}

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const bitsMax = BITS_MAX[isIP(address)]
  if (bitsMax === undefined || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax)
}

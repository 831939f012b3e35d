import ipaddr from 'ipaddr.js'
import { MS_PER_SECOND } from './clock.ts'

/** Token buckets by client address. Each allows a burst, then a constant rate per second. */
export interface Allowances {
  /** Takes a token and returns the number that is left. A negative number means that no token was available. */
  take(address: string): number
  /** Puts a token back, for a request that does not count. */
  giveBack(address: string): void
}

export interface AllowanceLimits {
  burst: number
  perSecond: number
  /** Maximum number of addresses that are remembered. The least recently used one is forgotten. */
  addresses: number
}

/** Number of 16-bit groups in an IPv6 network prefix (/64). The owner of the network can choose the other groups. */
const NETWORK_GROUPS = 4

interface Allowance {
  left: number
  atMs: number
}

/** Creates token buckets that start full. `nowMs` is replaced in tests. */
export function createAllowances(
  { burst: atOnce, perSecond: aSecond, addresses }: AllowanceLimits,
  nowMs: () => number = () => performance.now(),
): Allowances {
  const allowances = new Map<string, Allowance>()
  const allowanceOf = (address: string): Allowance => {
    const network = networkOf(address)
    const at = nowMs()
    const { left, atMs } = allowances.get(network) ?? { left: atOnce, atMs: at }
    const now = { left: Math.min(atOnce, left + ((at - atMs) / MS_PER_SECOND) * aSecond), atMs: at }
    allowances.delete(network)
    allowances.set(network, now)
    if (allowances.size > addresses) allowances.delete(allowances.keys().next().value as string)
    return now
  }
  return {
    take: (address) => {
      const allowance = allowanceOf(address)
      allowance.left -= 1
      return allowance.left
    },
    giveBack: (address) => {
      const now = allowances.get(networkOf(address))
      if (now) now.left = Math.min(atOnce, now.left + 1)
    },
  }
}

/** Returns an IPv4 address, or the /64 network of an IPv6 address. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, NETWORK_GROUPS).join(':') : parsed.toString()
}

import ipaddr from 'ipaddr.js'
import { Fault } from '../../base/fault.ts'

/** How many keys that nobody has may be looked up for one address. */
interface GuessCap {
  /**
   * Counts a look-up of a key that has not been good here. The result takes it back, when the key was good or could not
   * be looked up. Throws `rate_limited` when too many others from this address were not.
   */
  count(address: string): () => void
}

/** So many wrong keys may come at once, and so many a second afterwards: a fleet with a revoked key is within it. */
const AT_ONCE = 100
const A_SECOND = 5
/** Addresses that are remembered; who has that many is not held up by this. */
const ADDRESSES_MAX = 10_000
const MS_PER_SECOND = 1000
/** The groups of 16 bits that name a network of IPv6; the other four are whoever has it to choose. */
const NETWORK_GROUPS = 4

interface Allowance {
  left: number
  atMs: number
}

/** Opens the counting; `nowMs` is given by tests. */
export function openGuessCap(nowMs: () => number = () => performance.now()): GuessCap {
  const allowances = new Map<string, Allowance>()

  const allowanceOf = (network: string): Allowance => {
    const at = nowMs()
    const { left, atMs } = allowances.get(network) ?? { left: AT_ONCE, atMs: at }
    const now = { left: Math.min(AT_ONCE, left + ((at - atMs) / MS_PER_SECOND) * A_SECOND), atMs: at }
    allowances.delete(network)
    allowances.set(network, now)
    if (allowances.size > ADDRESSES_MAX) allowances.delete(allowances.keys().next().value as string)
    return now
  }

  return {
    count: (address) => {
      const network = networkOf(address)
      const allowance = allowanceOf(network)
      if (allowance.left < 1) {
        throw new Fault('rate_limited', {
          detail: 'Too many credentials from this address were not valid; send this one again after Retry-After.',
          retryAfterSeconds: 1,
        })
      }
      allowance.left -= 1
      return () => {
        const now = allowances.get(network)
        if (now) now.left = Math.min(AT_ONCE, now.left + 1)
      }
    },
  }
}

/** An address of IPv4, or the network of one of IPv6. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, NETWORK_GROUPS).join(':') : parsed.toString()
}

import ipaddr from 'ipaddr.js'
import { MS_PER_SECOND } from './clock.ts'

/** The allowance of an address: a burst, and a rate a second afterwards. */
export interface Allowances {
  /** Takes one of what the address has, and returns what is left of it: below 0 it had none. */
  take(address: string): number
  /** Gives one back. */
  giveBack(address: string): void
}

/** How much an address may do, and of how many addresses that is remembered. */
export interface AllowanceLimits {
  atOnce: number
  aSecond: number
  /** The most addresses that are remembered; further ones are not limited. */
  addresses: number
}

/** The groups of 16 bits that name a network of IPv6; the other four are whoever has it to choose. */
const NETWORK_GROUPS = 4

interface Allowance {
  left: number
  atMs: number
}

/** Allowances that are all unused; `nowMs` is given by tests. */
export function createAllowances(
  { atOnce, aSecond, addresses }: AllowanceLimits,
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

/** An address of IPv4, or the network of one of IPv6. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, NETWORK_GROUPS).join(':') : parsed.toString()
}

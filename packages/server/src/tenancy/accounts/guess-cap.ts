import { createAllowances } from '../../base/allowances.ts'
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
const LIMITS = { atOnce: 100, aSecond: 5, addresses: 10_000 } as const

/** Opens the counting; `nowMs` is given by tests. */
export function openGuessCap(nowMs?: () => number): GuessCap {
  const allowances = createAllowances(LIMITS, nowMs)
  return {
    count: (address) => {
      const takeBack = () => allowances.giveBack(address)
      if (allowances.take(address) >= 0) return takeBack
      takeBack()
      throw new Fault('rate_limited', {
        detail: 'Too many credentials from this address were not valid; send this one again after Retry-After.',
        retryAfterSeconds: 1,
      })
    },
  }
}

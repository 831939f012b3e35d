/** Time and what of it the loop was busy, in milliseconds; tests give their own. */
export interface LoopClock {
  nowMs(): number
  busyMs(): number
}

/** What one tenant has used of the loop, and what it has there now. */
export interface Tenant {
  spentMs: number
  atWork: number
  /** Requests that have come and are not worked on yet. */
  arrived: number
  seenMs: number
}

/** Who has used how much of the event loop, and how many requests fit on it. */
interface LoopLedger {
  readonly tenants: ReadonlyMap<string, Tenant>
  /** Requests at work, of everybody. */
  readonly atWork: number
  /** So many may be at work, fitted to how busy the loop is. */
  readonly atWorkMax: number
  /** Divides what the loop was busy since the last time among those whose requests were at work; gives the time. */
  count(): number
  /** The tenant of this name, seen now. Time that nobody asked for is not saved up. */
  tenantOf(name: string, nowMs: number): Tenant
  /** The least that others have used who have work, or had some a moment ago. */
  leastOfOthers(own: Tenant | undefined, nowMs: number): number
  /** Counts one more request of the tenant as at work, or with -1 one less. */
  move(one: Tenant, by: 1 | -1): void
}

/** Tenants count as sharing the loop for so long after their last request. */
const SHARING_MS = 10_000
/** Who asks one thing after the other is not overtaken in the pause between two. */
const PAUSE_MS = 100
/** How often the number at work is fitted to how busy the loop is, and by what. */
const FIT_MS = 100
const BUSY = 0.9
const FREE = 0.75
const AT_WORK_MAX = 64

/** At least so many requests may always be at work. */
export const AT_WORK_MIN = 2

/** Opens the ledger with nobody in it. */
export function openLoopLedger(clock: LoopClock): LoopLedger {
  const tenants = new Map<string, Tenant>()
  let atWorkMax = AT_WORK_MAX
  let atWork = 0
  let counted = { nowMs: clock.nowMs(), busyMs: clock.busyMs() }
  let fitted = counted

  const fit = (nowMs: number, busyMs: number) => {
    const busy = (busyMs - fitted.busyMs) / (nowMs - fitted.nowMs)
    fitted = { nowMs, busyMs }
    if (busy > BUSY) atWorkMax = Math.max(AT_WORK_MIN, Math.floor(atWorkMax / 2))
    else if (busy < FREE) atWorkMax = Math.min(AT_WORK_MAX, atWorkMax + 1)
    for (const [name, one] of tenants)
      if (one.atWork + one.arrived === 0 && nowMs - one.seenMs > SHARING_MS) tenants.delete(name)
  }

  const leastOfOthers = (own: Tenant | undefined, nowMs: number): number => {
    let least = Number.POSITIVE_INFINITY
    for (const one of tenants.values()) {
      const hasWork = one.atWork > 0 || one.arrived > 0 || nowMs - one.seenMs < PAUSE_MS
      if (one !== own && hasWork) least = Math.min(least, one.spentMs)
    }
    return least
  }

  return {
    tenants,
    get atWork() {
      return atWork
    },
    get atWorkMax() {
      return atWorkMax
    },
    count: () => {
      const nowMs = clock.nowMs()
      const busyMs = clock.busyMs()
      if (atWork > 0) {
        const each = (busyMs - counted.busyMs) / atWork
        for (const one of tenants.values()) one.spentMs += each * one.atWork
      }
      counted = { nowMs, busyMs }
      if (nowMs - fitted.nowMs >= FIT_MS) fit(nowMs, busyMs)
      return nowMs
    },
    tenantOf: (name, nowMs) => {
      const one = tenants.get(name) ?? { spentMs: 0, atWork: 0, arrived: 0, seenMs: Number.NEGATIVE_INFINITY }
      tenants.set(name, one)
      if (one.atWork === 0 && one.arrived === 0 && nowMs - one.seenMs >= PAUSE_MS) {
        const least = leastOfOthers(one, nowMs)
        if (Number.isFinite(least)) one.spentMs = Math.max(one.spentMs, least)
      }
      one.seenMs = nowMs
      return one
    },
    leastOfOthers,
    move: (one, by) => {
      atWork += by
      one.atWork += by
    },
  }
}

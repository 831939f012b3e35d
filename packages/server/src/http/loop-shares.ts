import { performance } from 'node:perf_hooks'

/**
 * How tenants share the event loop, on which everything is computed. While several of them keep it busy, few requests
 * are at work at a time, and who has used more of its time than another waits until that one has caught up or is gone.
 */
export interface LoopShares {
  /** Whether a request of the tenant may be worked on now. */
  mayBegin(tenant: string): boolean
  /** Counts a request as worked on, from now until it rests. */
  begin(tenant: string): Share
  /** A request of the tenant has come, which is not worked on yet; what is returned ends that. */
  arrive(tenant: string): () => void
  /** What the tenant has used of the loop's time, in milliseconds, to be compared with that of others alone. */
  spentMs(tenant: string): number
  /** Calls whenever more may begin. */
  onFree(call: () => void): void
}

/** One request's part in it. */
export interface Share {
  /** It is not worked on at the moment: it waits, or is done. */
  rest(): void
  /** Resolves when it may be worked on again, and is. */
  again(): Promise<void>
}

/** Time and what of it the loop was busy, in milliseconds; tests give their own. */
export interface LoopClock {
  nowMs(): number
  busyMs(): number
}

const realClock: LoopClock = {
  nowMs: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
}

interface Tenant {
  spentMs: number
  atWork: number
  /** Requests that have come and are not worked on yet. */
  arrived: number
  seenMs: number
}

/** Tenants count as sharing the loop for so long after their last request. */
const SHARING_MS = 10_000
/** Who asks one thing after the other is not overtaken in the pause between two. */
const PAUSE_MS = 100
/** So far may a tenant be ahead of another that has work: a few questions' time. */
const AHEAD_MS_MAX = 40
/** How often what is held up is looked at when nothing ends. */
const LOOK_MS = 25
/** How often the number at work is fitted to how busy the loop is, and by what. */
const FIT_MS = 100
const BUSY = 0.9
const FREE = 0.75
const AT_WORK_MIN = 2
const AT_WORK_MAX = 64

/** Opens the sharing. A tenant that is alone is never held up, and nobody is while the loop has time left. */
export function openLoopShares(clock: LoopClock = realClock): LoopShares {
  const tenants = new Map<string, Tenant>()
  const calls: (() => void)[] = []
  let atWorkMax = AT_WORK_MAX
  let atWork = 0
  let counted = { nowMs: clock.nowMs(), busyMs: clock.busyMs() }
  let fitted = counted
  let isCalling = false
  let isCallDue = false

  /** Divides what the loop was busy since the last time among those whose requests were at work. */
  const count = (): number => {
    const nowMs = clock.nowMs()
    const busyMs = clock.busyMs()
    if (atWork > 0) {
      const each = (busyMs - counted.busyMs) / atWork
      for (const one of tenants.values()) one.spentMs += each * one.atWork
    }
    counted = { nowMs, busyMs }
    if (nowMs - fitted.nowMs >= FIT_MS) fit(nowMs, busyMs)
    return nowMs
  }
  const fit = (nowMs: number, busyMs: number) => {
    const busy = (busyMs - fitted.busyMs) / (nowMs - fitted.nowMs)
    fitted = { nowMs, busyMs }
    if (busy > BUSY) atWorkMax = Math.max(AT_WORK_MIN, Math.floor(atWorkMax / 2))
    else if (busy < FREE) atWorkMax = Math.min(AT_WORK_MAX, atWorkMax + 1)
    for (const [name, one] of tenants)
      if (one.atWork + one.arrived === 0 && nowMs - one.seenMs > SHARING_MS) tenants.delete(name)
  }

  /** The least that others have used who have work, or had some a moment ago. */
  const leastOfOthers = (own: Tenant | undefined, nowMs: number): number => {
    let least = Number.POSITIVE_INFINITY
    for (const one of tenants.values()) {
      const hasWork = one.atWork > 0 || one.arrived > 0 || nowMs - one.seenMs < PAUSE_MS
      if (one !== own && hasWork) least = Math.min(least, one.spentMs)
    }
    return least
  }

  const tenantOf = (name: string, nowMs: number): Tenant => {
    const known = tenants.get(name)
    const one = known ?? { spentMs: 0, atWork: 0, arrived: 0, seenMs: Number.NEGATIVE_INFINITY }
    if (!known) tenants.set(name, one)
    // Time that nobody asked for is not saved up.
    if (one.atWork === 0 && one.arrived === 0 && nowMs - one.seenMs >= PAUSE_MS) {
      const least = leastOfOthers(one, nowMs)
      if (Number.isFinite(least)) one.spentMs = Math.max(one.spentMs, least)
    }
    one.seenMs = nowMs
    return one
  }

  const callAll = () => {
    if (isCalling) return
    isCalling = true
    try {
      for (const call of [...calls]) call()
    } finally {
      isCalling = false
    }
  }
  /** What is held up is looked at again, since pauses end and the loop becomes free without anybody saying so. */
  const callLater = () => {
    if (isCallDue) return
    isCallDue = true
    setTimeout(() => {
      isCallDue = false
      callAll()
    }, LOOK_MS)
  }

  const mayBegin = (name: string): boolean => {
    const nowMs = count()
    if (tenants.size < 2 && (tenants.size === 0 || tenants.has(name))) return true
    if (atWorkMax > AT_WORK_MIN && atWork < atWorkMax) return true
    const own = tenants.get(name)
    const isAhead = own !== undefined && own.spentMs - leastOfOthers(own, nowMs) > AHEAD_MS_MAX
    const isFree = atWork < atWorkMax && (own?.atWork ?? 0) < Math.max(1, atWorkMax - 1)
    if (isFree && !isAhead) return true
    callLater()
    return false
  }

  const begin = (name: string): Share => {
    const one = tenantOf(name, count())
    let isAtWork = false
    const work = () => {
      count()
      isAtWork = true
      atWork += 1
      one.atWork += 1
    }
    work()
    return {
      rest: () => {
        if (!isAtWork) return
        one.seenMs = count()
        isAtWork = false
        atWork -= 1
        one.atWork -= 1
        callAll()
      },
      again: () =>
        new Promise((resolve) => {
          if (isAtWork) return resolve()
          const go = () => {
            if (!mayBegin(name)) return
            calls.splice(calls.indexOf(go), 1)
            work()
            resolve()
          }
          calls.push(go)
          go()
        }),
    }
  }

  const arrive = (name: string): (() => void) => {
    const one = tenantOf(name, count())
    let isHere = true
    one.arrived += 1
    return () => {
      if (!isHere) return
      isHere = false
      one.arrived -= 1
      one.seenMs = clock.nowMs()
    }
  }

  return {
    mayBegin,
    begin,
    arrive,
    spentMs: (name) => tenants.get(name)?.spentMs ?? 0,
    onFree: (call) => void calls.push(call),
  }
}

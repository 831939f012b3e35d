import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'

/**
 * Shares the event loop fairly between tenants. While several tenants keep it busy, few requests run at a time. A
 * tenant that has used more time waits until the others have caught up or have no more work.
 */
export interface LoopShares {
  /** Returns true if a request of the tenant may run now. */
  mayBegin(tenant: string): boolean
  /** Counts a request as running until it pauses or ends. */
  begin(tenant: string): Share
  /** Counts a request that has arrived but is not running yet. Call the returned function when that ends. */
  arrive(tenant: string): () => void
  /**
   * Returns the event loop time that a tenant has used, in milliseconds. After a pause, a tenant starts at the minimum
   * of the others. The value can only be compared with that of other tenants.
   */
  spentMs(tenant: string): number
  /** Registers a function that is called when another request may run. */
  onFree(call: () => void): void
}

/** A request's share of the event loop. */
export interface Share {
  /** Marks the request as not running, because it waits or has ended. */
  pause(): void
  /** Resolves once the request runs again. */
  resume(): Promise<void>
}

const realClock: LoopClock = {
  nowMs: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
}

/**
 * Maximum milliseconds of event loop time by which a tenant may be ahead of another one with work. It is the time of a
 * few questions.
 */
const MARGIN_MS_MAX = 40
/** Milliseconds between two checks of waiting requests while no request ends. */
const CHECK_MS = 25

/** Opens the fair sharing. A single tenant never waits. No tenant waits while the loop has idle time. */
export function openLoopShares(clock: LoopClock = realClock): LoopShares {
  const ledger = openLoopLedger(clock)
  const waiters = createWaiters()

  const mayBegin = (name: string): boolean => {
    const nowMs = ledger.count()
    const { tenants, running, runningMax } = ledger
    if (tenants.size < 2 && (tenants.size === 0 || tenants.has(name))) return true
    if (runningMax > RUNNING_MIN && running < runningMax) return true
    const own = tenants.get(name)
    const isAhead = own !== undefined && own.spentMs - ledger.leastOfOthers(own, nowMs) > MARGIN_MS_MAX
    const isFree = running < runningMax && (own?.running ?? 0) < Math.max(1, runningMax - 1)
    if (isFree && !isAhead) return true
    waiters.callLater()
    return false
  }

  const begin = (name: string): Share => {
    const one = ledger.tenantOf(name, ledger.count())
    let isRunning = false
    const work = () => {
      ledger.count()
      isRunning = true
      ledger.move(one, 1)
    }
    work()
    return {
      pause: () => {
        if (!isRunning) return
        one.seenMs = ledger.count()
        isRunning = false
        ledger.move(one, -1)
        waiters.callAll()
      },
      resume: () =>
        new Promise((resolve) => {
          if (isRunning) return resolve()
          const go = () => {
            if (!mayBegin(name)) return
            waiters.remove(go)
            work()
            resolve()
          }
          waiters.add(go)
          go()
        }),
    }
  }

  const arrive = (name: string): (() => void) => {
    const one = ledger.tenantOf(name, ledger.count())
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
    spentMs: (name) => ledger.tenants.get(name)?.spentMs ?? 0,
    onFree: waiters.add,
  }
}

/** Creates the list of functions that are called when another request may run. */
function createWaiters() {
  const calls: (() => void)[] = []
  let isCalling = false
  let isCallDue = false
  const callAll = () => {
    if (isCalling) return
    isCalling = true
    try {
      for (const call of [...calls]) call()
    } finally {
      isCalling = false
    }
  }
  return {
    add: (call: () => void) => void calls.push(call),
    remove: (call: () => void) => void calls.splice(calls.indexOf(call), 1),
    callAll,
    /** Schedules a check of waiting requests, because no event marks the end of a pause or of a busy period. */
    callLater: () => {
      if (isCallDue) return
      isCallDue = true
      setTimeout(() => {
        isCallDue = false
        callAll()
      }, CHECK_MS)
    },
  }
}

/** Clock and busy time of the event loop, in milliseconds. Tests pass their own. */
interface LoopClock {
  nowMs(): number
  busyMs(): number
}

/** A tenant with its event loop time and its current requests. */
interface Tenant {
  spentMs: number
  running: number
  /** Number of requests that have arrived and are not running yet. */
  arrived: number
  seenMs: number
}

/** Milliseconds for which a tenant is remembered after its last request. */
const SHARING_MS = 10_000
/** Maximum pause in milliseconds between two requests of a tenant that still counts as having work. */
const PAUSE_MS = 100
/**
 * Milliseconds between two adjustments of the concurrency limit. Above the utilization BUSY it is halved; below FREE it
 * grows by one.
 */
const ADJUST_MS = 100
const BUSY = 0.9
const FREE = 0.75
const RUNNING_MAX = 64

/** Minimum of the concurrency limit. */
const RUNNING_MIN = 2

/** Opens the accounting: the event loop time by tenant, and the limit on concurrent requests. */
function openLoopLedger(clock: LoopClock) {
  const tenants = new Map<string, Tenant>()
  let runningMax = RUNNING_MAX
  let running = 0
  let counted = { nowMs: clock.nowMs(), busyMs: clock.busyMs() }
  let adjusted = counted

  const adjust = (nowMs: number, busyMs: number) => {
    const busy = (busyMs - adjusted.busyMs) / (nowMs - adjusted.nowMs)
    adjusted = { nowMs, busyMs }
    if (busy > BUSY) runningMax = Math.max(RUNNING_MIN, Math.floor(runningMax / 2))
    else if (busy < FREE) runningMax = Math.min(RUNNING_MAX, runningMax + 1)
    for (const [name, one] of tenants)
      if (one.running + one.arrived === 0 && nowMs - one.seenMs > SHARING_MS) tenants.delete(name)
  }

  const leastOfOthers = (own: Tenant | undefined, nowMs: number): number => {
    let least = Number.POSITIVE_INFINITY
    for (const one of tenants.values()) {
      const hasWork = one.running > 0 || one.arrived > 0 || nowMs - one.seenMs < PAUSE_MS
      if (one !== own && hasWork) least = Math.min(least, one.spentMs)
    }
    return least
  }

  return {
    tenants: tenants as ReadonlyMap<string, Tenant>,
    /** Number of running requests. */
    get running() {
      return running
    },
    /** Maximum number of running requests. It is adjusted to the utilization of the loop. */
    get runningMax() {
      return runningMax
    },
    /** Charges the busy time since the last call to the tenants with running requests. Returns the current time. */
    count: () => {
      const nowMs = clock.nowMs()
      const busyMs = clock.busyMs()
      if (running > 0) {
        const each = (busyMs - counted.busyMs) / running
        for (const one of tenants.values()) one.spentMs += each * one.running
      }
      counted = { nowMs, busyMs }
      if (nowMs - adjusted.nowMs >= ADJUST_MS) adjust(nowMs, busyMs)
      return nowMs
    },
    /** Returns the tenant and marks it as active. A tenant cannot save up unused time for later. */
    tenantOf: (name: string, nowMs: number): Tenant => {
      const one = tenants.get(name) ?? { spentMs: 0, running: 0, arrived: 0, seenMs: Number.NEGATIVE_INFINITY }
      tenants.set(name, one)
      if (one.running === 0 && one.arrived === 0 && nowMs - one.seenMs >= PAUSE_MS) {
        const least = leastOfOthers(one, nowMs)
        if (Number.isFinite(least)) one.spentMs = Math.max(one.spentMs, least)
      }
      one.seenMs = nowMs
      return one
    },
    /** Returns the minimum time that other tenants have used, if they have or recently had work. */
    leastOfOthers,
    /** Adjusts the number of the tenant's running requests by one. */
    move: (one: Tenant, by: 1 | -1) => {
      running += by
      one.running += by
    },
  }
}

/** Thresholds at which a process rejects requests. */
export interface PressureLimits {
  /** Mean event loop delay over the last sample, in milliseconds. */
  loopDelayMs: number
  /** Milliseconds between samples. */
  sampleMs: number
  /** Minimum number of running and waiting requests. If fewer are affected by a delay, it is not an overload. */
  crowd: number
  heapBytes: number
}

const HEAP_SHARE = 0.95

export const PRESSURE_LIMITS: PressureLimits = {
  loopDelayMs: 250,
  sampleMs: 1_000,
  crowd: 48,
  heapBytes: HEAP_SHARE * getHeapStatistics().heap_size_limit,
}

const RETRY_SECONDS = 1
/** Resolution of the delay measurement in milliseconds. Even in an idle loop, the measured delay is this long. */
const RESOLUTION_MS = 10
const NS_PER_MS = 1e6

/**
 * Rejects requests for the API and its documentation while the event loop is delayed under many requests, or while the
 * heap is full. Health checks always pass. The measurements need no file descriptors, because these may be exhausted.
 */
export function shedUnderPressure(server: FastifyInstance, limits: PressureLimits, countRequests: () => number): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let isLate = false
  let isFull = false
  const sample = () => {
    isLate = delays.mean / NS_PER_MS - RESOLUTION_MS > limits.loopDelayMs
    delays.reset()
    isFull = getHeapStatistics().used_heap_size > limits.heapBytes
  }
  const timer = setInterval(sample, limits.sampleMs).unref()
  server.addHook('onClose', (_, done) => {
    clearInterval(timer)
    delays.disable()
    done()
  })
  server.addHook('onRequest', (request, _, done) => {
    const isPressed = isFull || (isLate && countRequests() >= limits.crowd)
    done(isPressed && isShed(request) ? new Fault('unavailable', { retryAfterSeconds: RETRY_SECONDS }) : undefined)
  })
}

/** Returns true for requests that may be rejected. Liveness checks never are. */
function isShed({ routeOptions: { url = '' } }: FastifyRequest): boolean {
  return /^\/(?:api\/|openapi\.json$|metrics$|docs)/.test(url)
}

import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'

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
  /**
   * How long a tenant's work has kept the event loop busy, in milliseconds. A tenant that comes back after a pause
   * starts at the least of the others, so that the figure says something beside theirs only.
   */
  spentMs(tenant: string): number
  /** Calls whenever more may begin. */
  onFree(call: () => void): void
}

/** One request's part in it. */
export interface Share {
  /** Marks it as not at work: it waits or is done. */
  rest(): void
  /** Resolves when it may be worked on again, and is. */
  again(): Promise<void>
}

const realClock: LoopClock = {
  nowMs: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
}

/** How far a tenant may be ahead of another that has work: the time of a few questions. */
const AHEAD_MS_MAX = 40
/** How often what is held up is looked at when nothing ends. */
const LOOK_MS = 25

/** Opens the sharing. A tenant that is alone is never held up, and nobody is while the loop has time left. */
export function openLoopShares(clock: LoopClock = realClock): LoopShares {
  const ledger = openLoopLedger(clock)
  const heldUp = createHeldUp()

  const mayBegin = (name: string): boolean => {
    const nowMs = ledger.count()
    const { tenants, atWork, atWorkMax } = ledger
    if (tenants.size < 2 && (tenants.size === 0 || tenants.has(name))) return true
    if (atWorkMax > AT_WORK_MIN && atWork < atWorkMax) return true
    const own = tenants.get(name)
    const isAhead = own !== undefined && own.spentMs - ledger.leastOfOthers(own, nowMs) > AHEAD_MS_MAX
    const isFree = atWork < atWorkMax && (own?.atWork ?? 0) < Math.max(1, atWorkMax - 1)
    if (isFree && !isAhead) return true
    heldUp.callLater()
    return false
  }

  const begin = (name: string): Share => {
    const one = ledger.tenantOf(name, ledger.count())
    let isAtWork = false
    const work = () => {
      ledger.count()
      isAtWork = true
      ledger.move(one, 1)
    }
    work()
    return {
      rest: () => {
        if (!isAtWork) return
        one.seenMs = ledger.count()
        isAtWork = false
        ledger.move(one, -1)
        heldUp.callAll()
      },
      again: () =>
        new Promise((resolve) => {
          if (isAtWork) return resolve()
          const go = () => {
            if (!mayBegin(name)) return
            heldUp.remove(go)
            work()
            resolve()
          }
          heldUp.add(go)
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
    onFree: heldUp.add,
  }
}

/** Who is told when more may begin. */
function createHeldUp() {
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
    /** Looks again at waiting requests: pauses end, and the loop becomes free, without an event. */
    callLater: () => {
      if (isCallDue) return
      isCallDue = true
      setTimeout(() => {
        isCallDue = false
        callAll()
      }, LOOK_MS)
    },
  }
}

/** Time and what of it the loop was busy, in milliseconds; tests give their own. */
interface LoopClock {
  nowMs(): number
  busyMs(): number
}

/** The loop time that one tenant has used, and its requests now. */
interface Tenant {
  spentMs: number
  atWork: number
  /** Requests that have come and are not worked on yet. */
  arrived: number
  seenMs: number
}

/** How long after its last request a tenant still counts as sharing the loop. */
const SHARING_MS = 10_000
/** A caller that sends one request after another is not overtaken in a pause of this length. */
const PAUSE_MS = 100
/** How often the number at work is fitted to how busy the loop is, and by what. */
const FIT_MS = 100
const BUSY = 0.9
const FREE = 0.75
const AT_WORK_MAX = 64

/** The number of requests that may always be at work. */
const AT_WORK_MIN = 2

/** Opens the ledger of who has used how much of the event loop, and of how many requests fit on it. */
function openLoopLedger(clock: LoopClock) {
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
    tenants: tenants as ReadonlyMap<string, Tenant>,
    /** Requests at work, of everybody. */
    get atWork() {
      return atWork
    },
    /** How many may be at work, fitted to how busy the loop is. */
    get atWorkMax() {
      return atWorkMax
    },
    /**
     * Divides the time that the loop was busy since the last call among the tenants whose requests were at work, and
     * returns that time.
     */
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
    /** The tenant of this name, seen now. Time that nobody asked for is not saved up. */
    tenantOf: (name: string, nowMs: number): Tenant => {
      const one = tenants.get(name) ?? { spentMs: 0, atWork: 0, arrived: 0, seenMs: Number.NEGATIVE_INFINITY }
      tenants.set(name, one)
      if (one.atWork === 0 && one.arrived === 0 && nowMs - one.seenMs >= PAUSE_MS) {
        const least = leastOfOthers(one, nowMs)
        if (Number.isFinite(least)) one.spentMs = Math.max(one.spentMs, least)
      }
      one.seenMs = nowMs
      return one
    },
    /** The least that others have used who have work, or had some a moment ago. */
    leastOfOthers,
    /** Counts one more request of the tenant as at work, or with -1 one less. */
    move: (one: Tenant, by: 1 | -1) => {
      atWork += by
      one.atWork += by
    },
  }
}

/** When a process refuses work early. */
export interface PressureLimits {
  /** Mean delay of the event loop over the last sample. */
  loopDelayMs: number
  /** How often pressure is measured. */
  sampleMs: number
  /** Requests at work or waiting below which nothing is refused: a delay that nobody queues behind is no overload. */
  crowd: number
  heapBytes: number
}

const HEAP_SHARE = 0.95

/** What a process with other people's requests waiting can afford. */
export const PRESSURE_LIMITS: PressureLimits = {
  loopDelayMs: 250,
  sampleMs: 1_000,
  crowd: 48,
  heapBytes: HEAP_SHARE * getHeapStatistics().heap_size_limit,
}

const RETRY_SECONDS = 1
/** How finely the delay is watched; an idle loop seems late by as much. */
const RESOLUTION_MS = 10
const NS_PER_MS = 1e6

/**
 * Refuses requests of the API, and of the pages that describe it, while the event loop lags behind a crowd or the heap
 * is full. Health is always shown. Nothing that is measured needs a descriptor, since none may be left.
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

/** What a machine asks to know whether the process lives is never refused. */
function isShed({ routeOptions: { url = '' } }: FastifyRequest): boolean {
  return /^\/(?:api\/|openapi\.json$|metrics$|docs)/.test(url)
}

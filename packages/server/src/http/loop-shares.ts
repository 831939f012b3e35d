import { performance } from 'node:perf_hooks'
import { AT_WORK_MIN, type LoopClock, openLoopLedger } from './loop-ledger.ts'

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

const realClock: LoopClock = {
  nowMs: () => performance.now(),
  busyMs: () => performance.eventLoopUtilization().active,
}

/** So far may a tenant be ahead of another that has work: a few questions' time. */
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
    /** What is held up is looked at again, since pauses end and the loop becomes free without anybody saying so. */
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

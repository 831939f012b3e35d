import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

/** Serializes the work on each sandbox within this process. Leases do so between processes. */
export interface Turns {
  /** Runs the work after all earlier work on the sandbox has ended. */
  take<T>(sandboxId: string, work: () => Promise<T>): Promise<T>
  /** Returns true if work on the sandbox is running or waiting. */
  isTaken(sandboxId: string): boolean
}

/** Creates the queues. `around` wraps each piece of work. */
export function createTurns(around: Around = (_, work) => work()): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    take: (sandboxId, work) => {
      const before = last.get(sandboxId)
      const turn: { ended?: Promise<unknown> } = {}
      const run = async () => {
        await before?.catch(() => undefined)
        try {
          return await around(sandboxId, work)
        } finally {
          if (last.get(sandboxId) === turn.ended) last.delete(sandboxId)
        }
      }
      const running = run()
      turn.ended = running
      last.set(sandboxId, running)
      return running
    },
    isTaken: (sandboxId) => last.has(sandboxId),
  }
}

type Around = <T>(sandboxId: string, work: () => Promise<T>) => Promise<T>

/** Queue of sandboxes that wait for a slot, each from a time of `performance.now()` on. */
export interface WaitingLine {
  /** Number of waiting sandboxes, due or not. */
  readonly size: number
  has(sandboxId: string): boolean
  /** Adds a sandbox, or makes it due sooner. Ends a pause. */
  add(sandbox: SandboxRef, dueMs: number): void
  /** Removes and returns the first sandbox that is due and free. */
  takeDue(isTaken: (sandboxId: string) => boolean): SandboxRef | undefined
  /** Resolves when woken, when the next sandbox is due, or after `msMax`. */
  pause(msMax: number): Promise<void>
  /** Ends the pause. */
  rouse(): void
}

interface Waiting {
  sandbox: SandboxRef
  /** Time from which its slot may start. */
  dueMs: number
}

const FAR_MS = Number.MAX_SAFE_INTEGER

/** Creates an empty queue. */
export function createWaitingLine(): WaitingLine {
  const waiting = new Map<string, Waiting>()
  let endPause = () => {}
  return {
    get size() {
      return waiting.size
    },
    has: (sandboxId) => waiting.has(sandboxId),
    add: ({ userId, sandboxId }, dueMs) => {
      const sooner = Math.min(dueMs, waiting.get(sandboxId)?.dueMs ?? dueMs)
      waiting.set(sandboxId, { sandbox: { userId, sandboxId }, dueMs: sooner })
      endPause()
    },
    takeDue: (isTaken) => {
      const nowMs = performance.now()
      for (const { sandbox, dueMs } of waiting.values()) {
        if (dueMs > nowMs || isTaken(sandbox.sandboxId)) continue
        waiting.delete(sandbox.sandboxId)
        return sandbox
      }
      return undefined
    },
    pause: async (msMax) => {
      const nowMs = performance.now()
      const dueMs = Math.min(...[...waiting.values()].map((one) => one.dueMs).filter((due) => due > nowMs), FAR_MS)
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        endPause = resolve
        timer = setTimeout(resolve, Math.min(msMax, dueMs - nowMs))
      })
      clearTimeout(timer)
    },
    rouse: () => endPause(),
  }
}

/** Runs work concurrently in a limited number of lanes, so that slow storage does not block other work. */
interface Lanes {
  /** Starts the work, which never rejects. Resolves when the next may start. */
  begin(work: () => Promise<void>): Promise<void>
  /** Resolves when nothing is running. */
  readonly stopped: Promise<unknown>
}

interface Widths {
  /** Maximum number of occupied lanes. */
  lanes: number
  /** Milliseconds after which work leaves its lane and continues. */
  laneMsMax: number
  /** Maximum number of such slow work. Each costs the memory of its batch. */
  slowMax: number
}

/** Creates the lanes, all free. */
export function createLanes({ lanes, laneMsMax, slowMax }: Widths): Lanes {
  const working = new Set<Promise<void>>()
  const held = new Set<Promise<void>>()
  return {
    begin: async (work) => {
      const done = work().finally(() => working.delete(done))
      working.add(done)
      const ended = new AbortController()
      const lane = Promise.race([done, sleep(laneMsMax, undefined, { signal: ended.signal })]).finally(() => {
        ended.abort()
        held.delete(lane)
      })
      held.add(lane)
      if (held.size >= lanes) await Promise.race(held)
      if (working.size >= lanes + slowMax) await Promise.race(working)
    },
    get stopped() {
      return Promise.all(working)
    },
  }
}

/** Measures the time without any work. */
export interface Rest {
  /** Runs work. The idle time restarts when it ends. */
  endedBy<T>(work: () => Promise<T>): Promise<T>
  /** Returns the idle time in milliseconds. 0 while work is running. */
  lastedMs(): number
}

export function createRest(): Rest {
  let atWork = 0
  let sinceMs = Number.NEGATIVE_INFINITY
  return {
    endedBy: async (work) => {
      atWork += 1
      try {
        return await work()
      } finally {
        atWork -= 1
        sinceMs = performance.now()
      }
    },
    lastedMs: () => (atWork > 0 ? 0 : performance.now() - sinceMs),
  }
}

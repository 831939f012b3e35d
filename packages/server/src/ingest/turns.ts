import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

/** Lets one piece of work at a time go on in each sandbox, within this process; leases do so between processes. */
export interface Turns {
  /** Runs the work when what was begun before it in the sandbox has ended. */
  take<T>(sandboxId: string, work: () => Promise<T>): Promise<T>
  /** Whether work goes on in the sandbox or waits to. */
  isTaken(sandboxId: string): boolean
}

/** Turns whose work is run by `around`, once it is its turn. */
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

/** Sandboxes whose inboxes wait for a turn, each from a moment of `performance.now()` on. */
export interface WaitingLine {
  /** Sandboxes that wait, due or not. */
  readonly size: number
  has(sandboxId: string): boolean
  /** Adds a sandbox, or makes one that waits due sooner; rouses who pauses. */
  add(sandbox: SandboxRef, dueMs: number): void
  /** Takes out the first that is due and free. */
  takeDue(isTaken: (sandboxId: string) => boolean): SandboxRef | undefined
  /** Resolves when it is roused, when the next one is due, or after `msMax`. */
  pause(msMax: number): Promise<void>
  /** Ends the pause. */
  rouse(): void
}

interface Waiting {
  sandbox: SandboxRef
  /** When its turn may begin. */
  dueMs: number
}

const FAR_MS = Number.MAX_SAFE_INTEGER

/** An empty line. */
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

/** Work side by side, so that one piece that waits for its store keeps no other waiting. */
interface Lanes {
  /** Begins the work, which never rejects; resolves when the next may begin. */
  begin(work: () => Promise<void>): Promise<void>
  /** Resolves when nothing is at work. */
  readonly stopped: Promise<unknown>
}

interface Widths {
  /** Pieces of work that hold a lane at once. */
  lanes: number
  /** Work that lasts longer waits for something: it goes on without its lane, */
  laneMsMax: number
  /** unless so many have gone on so: each costs the memory of its batch. */
  slowMax: number
}

/** Lanes in which nothing is at work. */
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

/** The time in which nothing is at work. */
export interface Rest {
  /** Runs what ends it, until that has ended. */
  endedBy<T>(work: () => Promise<T>): Promise<T>
  /** How long it has lasted; 0 while something is at work. */
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

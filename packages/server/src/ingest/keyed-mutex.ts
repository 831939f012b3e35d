import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

/** Runs work on the same sandbox one after the other within this process. Leases do so between processes. */
export interface KeyedMutex {
  /** Runs the work when all earlier work on the sandbox has ended. */
  run<T>(sandboxId: string, work: () => Promise<T>): Promise<T>
  /** Returns true if work on the sandbox is running or waiting. */
  isLocked(sandboxId: string): boolean
}

/** Creates the mutex. `around` wraps each piece of work. */
export function createKeyedMutex(around: Around = (_, work) => work()): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return {
    run: (sandboxId, work) => {
      const before = last.get(sandboxId)
      const entry: { ended?: Promise<unknown> } = {}
      const run = async () => {
        await before?.catch(() => undefined)
        try {
          return await around(sandboxId, work)
        } finally {
          if (last.get(sandboxId) === entry.ended) last.delete(sandboxId)
        }
      }
      const running = run()
      entry.ended = running
      last.set(sandboxId, running)
      return running
    },
    isLocked: (sandboxId) => last.has(sandboxId),
  }
}

type Around = <T>(sandboxId: string, work: () => Promise<T>) => Promise<T>

/** Queue of sandboxes that wait for a slot. Each becomes due at a time on the scale of `performance.now()`. */
export interface WorkQueue {
  /** Number of waiting sandboxes, due or not. */
  readonly size: number
  has(sandboxId: string): boolean
  /** Adds a sandbox, or makes it due earlier. Ends a pause. */
  add(sandbox: SandboxRef, dueMs: number): void
  /** Removes and returns the first sandbox that is due and for which `isTaken` returns false. */
  takeDue(isTaken: (sandboxId: string) => boolean): SandboxRef | undefined
  /** Resolves when woken, when the next sandbox is due, or after `msMax`. */
  pause(msMax: number): Promise<void>
  /** Ends the pause. */
  wake(): void
}

interface QueuedSandbox {
  sandbox: SandboxRef
  /** Time at which its slot may start. */
  dueMs: number
}

const NEVER_MS = Number.MAX_SAFE_INTEGER

export function createWorkQueue(): WorkQueue {
  const waiting = new Map<string, QueuedSandbox>()
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
      let dueMs = NEVER_MS
      for (const one of waiting.values()) if (one.dueMs > nowMs) dueMs = Math.min(dueMs, one.dueMs)
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        endPause = resolve
        timer = setTimeout(resolve, Math.min(msMax, dueMs - nowMs))
      })
      clearTimeout(timer)
    },
    wake: () => endPause(),
  }
}

/** Runs work concurrently in a limited number of slots. Slow work gives up its slot, so it does not block others. */
interface SlotPool {
  /** Starts the work, which must not reject. Resolves when the next work may start. */
  begin(work: () => Promise<void>): Promise<void>
  /** Resolves when nothing is running. */
  readonly stopped: Promise<unknown>
}

interface SlotPoolOptions {
  slots: number
  /** Milliseconds after which work gives up its slot and continues without one. */
  slotMsMax: number
  /** Maximum number of batches that continue without a slot. Each needs memory. */
  slowMax: number
}

export function createSlotPool({ slots, slotMsMax, slowMax }: SlotPoolOptions): SlotPool {
  const working = new Set<Promise<void>>()
  const slotsInUse = new Set<Promise<void>>()
  return {
    begin: async (work) => {
      const done = work().finally(() => working.delete(done))
      working.add(done)
      const ended = new AbortController()
      const slot = Promise.race([done, sleep(slotMsMax, undefined, { signal: ended.signal })]).finally(() => {
        ended.abort()
        slotsInUse.delete(slot)
      })
      slotsInUse.add(slot)
      if (slotsInUse.size >= slots) await Promise.race(slotsInUse)
      if (working.size >= slots + slowMax) await Promise.race(working)
    },
    get stopped() {
      return Promise.all(working)
    },
  }
}

/** Measures the time since the last work ended. */
export interface IdleTimer {
  /** Runs work. The idle time restarts when it ends. */
  track<T>(work: () => Promise<T>): Promise<T>
  /** Returns the idle time in milliseconds. 0 while work is running. */
  idleMs(): number
}

export function createIdleTimer(): IdleTimer {
  let running = 0
  let idleSinceMs = Number.NEGATIVE_INFINITY
  return {
    track: async (work) => {
      running += 1
      try {
        return await work()
      } finally {
        running -= 1
        idleSinceMs = performance.now()
      }
    },
    idleMs: () => (running > 0 ? 0 : performance.now() - idleSinceMs),
  }
}

import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

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

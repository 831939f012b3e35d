import { setTimeout as sleep } from 'node:timers/promises'
import { operations, type Usage } from '@cairnstore/contract'
import { call } from '../call.ts'
import { Failure } from '../output.ts'
import type { Progress } from '../progress.ts'
import type { Settings } from '../settings.ts'

/** Milliseconds between polls of the number of records without vectors. */
const POLL_MS = 500
/** Maximum milliseconds to wait for embedding, which then continues in the background. */
const WAIT_MS_MAX = 60_000
/** HTTP status for an API key that may not read the sandbox's usage. */
const FORBIDDEN = 403

/** Embedding progress of a sandbox. */
export interface Embedded {
  /** Records that were embedded while the command waited. */
  done: number
  /** Records that are not embedded yet. 0 if nothing embeds them or the key may not read the usage. */
  waiting: number
}

/** Waits until the records of a sandbox are embedded, for at most a minute. Answers may change until then. */
export async function untilEmbedded(sandboxId: string, settings: Settings, progress: Progress): Promise<Embedded> {
  const untilMs = performance.now() + WAIT_MS_MAX
  let first: number | undefined
  for (;;) {
    const waiting = await waitingIn(sandboxId, settings)
    const done = Math.max(0, (first ?? waiting) - waiting)
    if (waiting === 0 || performance.now() >= untilMs) return { done, waiting }
    if (first === undefined || waiting > first) {
      first = waiting
      progress.begin('Embedding for semantic search', waiting)
    }
    progress.setDone(first - waiting)
    await sleep(POLL_MS)
  }
}

async function waitingIn(sandboxId: string, settings: Settings): Promise<number> {
  try {
    const usage = (await call(operations.getSandboxUsage, { sandbox_id: sandboxId }, settings)) as Usage
    return usage.reading.waiting
  } catch (error) {
    if (error instanceof Failure && error.status === FORBIDDEN) return 0
    throw error
  }
}

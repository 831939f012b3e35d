import { setTimeout as sleep } from 'node:timers/promises'
import { operations, type Usage } from '@cairnstore/contract'
import { call } from '../call.ts'
import { Failure } from '../output.ts'
import type { Progress } from '../progress.ts'
import type { Settings } from '../settings.ts'

/** Between two looks at how much waits. */
const LOOK_MS = 500
/** What takes longer goes on by itself: the reader reads a few thousand short records in this time. */
const WAIT_MS_MAX = 60_000
/** The status of a key that is not shown what the sandbox uses. */
const FORBIDDEN = 403

/**
 * Waits a while for what a sandbox holds to be read for its meaning too, until when answers may change. Gives how many
 * records still wait then: none where nothing reads them, or where the key is not shown it.
 */
export async function untilRead(sandboxId: string, settings: Settings, progress: Progress): Promise<number> {
  const untilMs = performance.now() + WAIT_MS_MAX
  let first: number | undefined
  for (;;) {
    const waiting = await waitingIn(sandboxId, settings)
    if (waiting === 0 || performance.now() >= untilMs) return waiting
    if (first === undefined || waiting > first) {
      first = waiting
      progress.begin('Reading for the meaning', waiting)
    }
    progress.reached(first - waiting)
    await sleep(LOOK_MS)
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

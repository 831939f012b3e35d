import { setTimeout as sleep } from 'node:timers/promises'

/** All that comes at once leaves no such pause between two batches, and a trickle nearly always does. */
const QUIET_MS = 100
/** Where records never cease to come, one request is made in so long all the same. */
const PATIENCE_MS = 30_000

/**
 * Waits until no batch of records has been applied for a moment: the processors share their memory, so that what is
 * read behind an ingest slows it, whatever its priority. Throws when it is aborted.
 *
 * @param quietMs for how long no batch has been at work
 */
export async function awaitRest(quietMs: () => number, signal: AbortSignal, patienceMs = PATIENCE_MS): Promise<void> {
  const untilMs = performance.now() + patienceMs
  while (quietMs() < QUIET_MS && performance.now() < untilMs) await sleep(QUIET_MS / 2, undefined, { signal })
}

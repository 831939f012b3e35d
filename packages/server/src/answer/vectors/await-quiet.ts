import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Milliseconds without a batch that mark the end of an ingest. Bulk ingest has shorter pauses; a trickle nearly always
 * has longer ones.
 */
const QUIET_MS = 100
/** Maximum wait in milliseconds. Under continuous ingest, one request is made in each such interval. */
const PATIENCE_MS = 30_000

/**
 * Waits until no batch of records has been applied for a moment. The CPU cores share memory bandwidth, so encoding
 * slows a concurrent ingest at any priority. Throws if aborted.
 *
 * @param quietMs returns the milliseconds since a batch was last applied
 */
export async function awaitQuiet(quietMs: () => number, signal: AbortSignal, patienceMs = PATIENCE_MS): Promise<void> {
  const untilMs = performance.now() + patienceMs
  while (quietMs() < QUIET_MS && performance.now() < untilMs) await sleep(QUIET_MS / 2, undefined, { signal })
}

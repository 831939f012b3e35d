import { setTimeout as sleep } from 'node:timers/promises'

const READINESS_MS = 1000
/** A database that does not answer for so long is not ready. */
const READINESS_MS_MAX = 2000

/** Whether the service can be used, asked once a second at most; never once it is stopping. */
export function cachedReadiness(isReady: () => Promise<boolean>, stopping: AbortSignal): () => Promise<boolean> {
  let latest: { at: number; answer: Promise<boolean> } | undefined
  return () => {
    if (stopping.aborted) return Promise.resolve(false)
    const at = performance.now()
    if (latest === undefined || at - latest.at > READINESS_MS) latest = { at, answer: inTime(isReady()) }
    return latest.answer
  }
}

/** The answer, or no when it fails or takes too long. */
async function inTime(answer: Promise<boolean>): Promise<boolean> {
  const gaveUp = new AbortController()
  const late = sleep(READINESS_MS_MAX, false, { signal: gaveUp.signal }).catch(() => false)
  const isReady = await Promise.race([answer.catch(() => false), late])
  gaveUp.abort()
  return isReady
}

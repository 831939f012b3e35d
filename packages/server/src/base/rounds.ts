import { setTimeout as sleep } from 'node:timers/promises'

/** Rounds of work that follow one another until they are stopped. */
export interface Rounds {
  /** Ends the pause before the next round; one that is at work is followed by another at once. */
  rouse(): void
  /** Begins no further round and resolves when the one at work has ended. */
  stop(): Promise<void>
}

/**
 * Does `round` at once, and again and again with a pause of `ms` after each. It is given a signal that is aborted when
 * the rounds are stopped. What a round throws goes to `failed`, and the next comes all the same.
 */
export function startRounds(
  ms: number,
  round: (stopping: AbortSignal) => Promise<void>,
  failed: (error: unknown) => void,
): Rounds {
  const stopping = new AbortController()
  let pause = new AbortController()
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      pause = new AbortController()
      await round(stopping.signal).catch(failed)
      if (!stopping.signal.aborted) await sleep(ms, undefined, { signal: pause.signal }).catch(() => undefined)
    }
  }
  const working = work()
  return {
    rouse: () => pause.abort(),
    stop: async () => {
      stopping.abort()
      pause.abort()
      await working
    },
  }
}

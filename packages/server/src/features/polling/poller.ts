import { setTimeout as sleep } from 'node:timers/promises'
import type { Planes } from '../handler.ts'
import { listDue } from './pull-run.ts'
import { type PullOutcome, type PullPort, runPull } from './run-pull.ts'

/** How often it is looked for sources that are due. */
const SWEEP_MS = 1_000
/** Sources that one process reads at a time. */
const PULLS_MAX = 4

/** The worker that reads sources when they are due, one pull of each at a time over all processes. */
export interface Poller {
  /** Says that a source is due. */
  wake(): void
  /** Pulls since the program began, by what became of them. */
  read(): { outcome: string; count: number }[]
  /** Ends the pulls under way, which other processes go on with, and stops. */
  stop(): Promise<void>
}

/** Starts reading sources. */
export function startPoller(planes: Planes, port: PullPort): Poller {
  const stopping = new AbortController()
  const counts = new Map<PullOutcome, number>()
  const running = new Map<string, Promise<void>>()
  let rouse = () => {}

  const start = (ref: Parameters<typeof runPull>[2]): void => {
    const turn = runPull(planes, port, ref, stopping.signal)
      .then((outcome) => {
        if (outcome !== 'not_due') counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      })
      .catch((error: unknown) => planes.log.warn('pull not written down', { sourceId: ref.sourceId, error }))
      .finally(() => {
        running.delete(ref.sourceId)
        rouse()
      })
    running.set(ref.sourceId, turn)
  }

  const sweep = async (): Promise<void> => {
    const free = PULLS_MAX - running.size
    if (free <= 0) return
    const due = (await listDue(planes, PULLS_MAX + running.size)).filter(({ sourceId }) => !running.has(sourceId))
    for (const ref of due.slice(0, free)) start(ref)
  }

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sweep().catch((error: unknown) => planes.log.warn('poll sweep failed', { error }))
      const pause = new AbortController()
      rouse = () => pause.abort()
      if (!stopping.signal.aborted) await sleep(SWEEP_MS, undefined, { signal: pause.signal }).catch(() => undefined)
    }
  }

  const working = work()
  return {
    wake: () => rouse(),
    read: () => [...counts].map(([outcome, count]) => ({ outcome, count })),
    stop: async () => {
      stopping.abort()
      rouse()
      await working
      await Promise.all(running.values())
    },
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { SelectQueryBuilder } from 'kysely'
import type { Log } from '../base/log.ts'
import type { Sql, Tx } from './open.ts'

/** A query for work. */
// biome-ignore lint/suspicious/noExplicitAny: only whether there are any is asked.
type Work = SelectQueryBuilder<any, any, any>

/** Polls for the work of all workers of the process, so that an idle database gets one query per second. */
export interface Lookout {
  /** Calls `found` after each poll in which the query has rows. */
  watch(find: (tx: Tx) => Work, found: () => void): void
  /** Polls at once. */
  rouse(): void
  /** Finishes the current poll and stops. */
  stop(): Promise<void>
}

const LOOK_MS = 1_000

/** Starts the poller. One statement checks for all kinds of work. */
export function openLookout(control: Sql, log: Log): Lookout {
  const watches: { find: (tx: Tx) => Work; found: () => void }[] = []
  const stopping = new AbortController()
  let rouse = () => {}

  const look = async (): Promise<void> => {
    const asked = [...watches]
    if (asked.length === 0) return
    const [row] = await control.look<Record<string, boolean>>({ worker: true }, (tx) =>
      tx.selectNoFrom((is) =>
        asked.map(({ find }, at) =>
          is
            .exists(find(tx) as never)
            .$castTo<boolean>()
            .as(nameOf(at)),
        ),
      ),
    )
    for (const [at, { found }] of asked.entries()) if (row?.[nameOf(at)]) found()
  }

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pause = new AbortController()
      rouse = () => pause.abort()
      await look().catch((error: unknown) => log.warn('the poll for work failed', { error }))
      if (!stopping.signal.aborted) await sleep(LOOK_MS, undefined, { signal: pause.signal }).catch(() => undefined)
    }
  }

  const working = work()
  return {
    watch: (find, found) => void watches.push({ find, found }),
    rouse: () => rouse(),
    stop: async () => {
      stopping.abort()
      rouse()
      await working
    },
  }
}

function nameOf(at: number): string {
  return `work_${at}`
}

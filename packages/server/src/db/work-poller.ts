import { setTimeout as sleep } from 'node:timers/promises'
import type { SelectQueryBuilder } from 'kysely'
import type { Log } from '../base/log.ts'
import type { Sql, Tx } from './open.ts'

// biome-ignore lint/suspicious/noExplicitAny: the query is only used in EXISTS.
type WorkQuery = SelectQueryBuilder<any, any, any>

/** Polls the database for pending work: one query per second for all workers of the process. */
export interface WorkPoller {
  /** Calls `found` after each poll in which the query has rows. */
  watch(find: (tx: Tx) => WorkQuery, found: () => void): void
  wake(): void
  /** Finishes the current poll and stops. */
  stop(): Promise<void>
}

const POLL_MS = 1_000

/** Starts the poller. One statement checks for all kinds of work. */
export function openWorkPoller(control: Sql, log: Log): WorkPoller {
  const watches: { find: (tx: Tx) => WorkQuery; found: () => void }[] = []
  const stopping = new AbortController()
  let wakeNow = () => {}

  const poll = async (): Promise<void> => {
    const polled = [...watches]
    if (polled.length === 0) return
    const [row] = await control.look<Record<string, boolean>>({ worker: true }, (tx) =>
      tx.selectNoFrom((is) =>
        polled.map(({ find }, at) =>
          is
            .exists(find(tx) as never)
            .$castTo<boolean>()
            .as(nameOf(at)),
        ),
      ),
    )
    for (const [at, { found }] of polled.entries()) if (row?.[nameOf(at)]) found()
  }

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pause = new AbortController()
      wakeNow = () => pause.abort()
      await poll().catch((error: unknown) => log.warn('the poll for work failed', { error }))
      if (!stopping.signal.aborted) await sleep(POLL_MS, undefined, { signal: pause.signal }).catch(() => undefined)
    }
  }

  const working = work()
  return {
    watch: (find, found) => void watches.push({ find, found }),
    wake: () => wakeNow(),
    stop: async () => {
      stopping.abort()
      wakeNow()
      await working
    },
  }
}

function nameOf(at: number): string {
  return `work_${at}`
}

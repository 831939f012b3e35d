import { setTimeout as sleep } from 'node:timers/promises'
import type { SelectQueryBuilder } from 'kysely'
import type { Log } from '../base/log.ts'
import type { Sql, Tx } from './open.ts'

/** Rows that are work for somebody. */
// biome-ignore lint/suspicious/noExplicitAny: only whether there are any is asked.
type Work = SelectQueryBuilder<any, any, any>

/** Looks for the work of every worker of the process at once, so that a database at rest is asked once a second. */
export interface Lookout {
  /** Calls `found` after each look that finds such rows. */
  watch(find: (tx: Tx) => Work, found: () => void): void
  /** Looks at once. */
  rouse(): void
  /** Ends the look at work and looks no more. */
  stop(): Promise<void>
}

const LOOK_MS = 1_000

/** Opens the look for work, which asks in one statement whether there is any of each kind. */
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
      await look().catch((error: unknown) => log.warn('the look for work failed', { error }))
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

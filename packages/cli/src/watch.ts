import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './call.ts'
import { EXIT_FAILED } from './failure.ts'
import { listFieldOf } from './inputs.ts'
import type { Listing } from './list-rows.ts'
import { note, print, type Row, tableOf } from './output.ts'
import { duration, openProgress } from './progress.ts'

const LOOK_MS = 1000
/** Rows of a list that is watched, where nobody says how many: the newest. */
const WATCHED_ROWS = '50'

/** What is watched: one thing, or a list whose rows are shown whenever they change. */
type Watched = Omit<Listing, 'columns'> & { columns?: readonly string[] | undefined }

/** Looks again and again until nothing is going on any more; gives the last reply, where that is of one thing. */
export async function watch(watched: Watched): Promise<{ reply: Row; code: number } | undefined> {
  if (watched.columns) return watchRows({ ...watched, columns: watched.columns })
  const progress = openProgress(watched.settings.isQuiet)
  let isCounted = false
  try {
    for (;;) {
      const reply = (await call(watched.operation, watched.inputs, watched.settings)) as Row
      if (!isGoing(reply)) return { reply, code: reply.status === 'completed' ? 0 : EXIT_FAILED }
      const { received = 0, written = 0, unchanged = 0, removed = 0, failed = 0 } = countsOf(reply)
      if (!isCounted) progress.begin('Taking in records', received || undefined)
      isCounted = received > 0
      progress.reached(written + unchanged + removed + failed)
      await sleep(LOOK_MS)
    }
  } finally {
    progress.end()
  }
}

async function watchRows({ operation, inputs, settings, columns, asJson }: Listing): Promise<undefined> {
  const query = { limit: WATCHED_ROWS, ...inputs.query }
  const name = listFieldOf(operation)!
  const seen = new Map<string, string>()
  const startedMs = performance.now()
  let isFirst = true
  for (;;) {
    const reply = (await call(operation, { ...inputs, query }, settings)) as Row
    const rows = reply[name] as Row[]
    const changed = rows.filter((row) => seen.get(keyOf(row)) !== JSON.stringify(row)).reverse()
    for (const row of changed) seen.set(keyOf(row), JSON.stringify(row))
    if (asJson) await print(changed.map((row) => `${JSON.stringify(row)}\n`).join(''))
    else if (changed.length > 0) await print(tableOf(columns, changed, isFirst))
    isFirst &&= changed.length === 0
    if (!rows.some(isGoing)) {
      note(settings, `Nothing is going on any more, after ${duration(performance.now() - startedMs)}.`)
      return undefined
    }
    await sleep(LOOK_MS)
  }
}

function keyOf(row: Row): string {
  return String(row.job_id)
}

function isGoing({ status }: Row): boolean {
  return status === 'queued' || status === 'processing'
}

function countsOf({ result }: Row): Record<string, number> {
  return (result ?? {}) as Record<string, number>
}

import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './call.ts'
import { EXIT_FAILED } from './failure.ts'
import { listFieldOf } from './inputs.ts'
import type { Listing } from './list-rows.ts'
import { note, type OutputRow, print, tableOf } from './output.ts'
import { duration, openProgress, type Progress } from './progress.ts'

const FIRST_LOOK_MS = 100
const LOOK_MS = 1000
/** Rows of a list that is watched, where nobody says how many: the newest. */
const WATCHED_ROWS = 50

/** What is watched: one thing, or a list whose rows are shown whenever they change. */
type Watched = Omit<Listing, 'columns'> & { columns?: readonly string[] | undefined }

/** Polls until no work is under way. Returns the last reply when a single thing is watched. */
export async function watch(watched: Watched): Promise<{ reply: OutputRow; code: number } | undefined> {
  if (watched.columns) return watchRows({ ...watched, columns: watched.columns })
  const progress = openProgress(watched.settings.isQuiet)
  const look = () => call(watched.operation, watched.asked, watched.settings)
  try {
    progress.begin('Taking in records', undefined)
    const reply = await untilEnded((await look()) as OutputRow, look, progress)
    return { reply, code: reply.status === 'completed' ? 0 : EXIT_FAILED }
  } finally {
    progress.end()
  }
}

/** A job when it has ended, which `look` gives again and again. */
export async function untilEnded(
  first: OutputRow,
  look: () => Promise<unknown>,
  progress: Progress,
): Promise<OutputRow> {
  let job = first
  let total = 0
  for (let waitMs = FIRST_LOOK_MS; isGoing(job); waitMs = Math.min(LOOK_MS, 2 * waitMs)) {
    const { received = 0, expected = 0, written = 0, unchanged = 0, removed = 0, failed = 0 } = countsOf(job)
    if (total === 0 || expected > total) {
      total = Math.max(received, expected)
      if (total > 0) progress.begin('Taking in records', total)
    }
    progress.reached(written + unchanged + removed + failed)
    await sleep(waitMs)
    job = (await look()) as OutputRow
  }
  return job
}

async function watchRows({ operation, asked, settings, columns, asJson }: Listing): Promise<undefined> {
  const name = listFieldOf(operation)!
  const seen = new Map<string, string>()
  const startedMs = performance.now()
  let isFirst = true
  for (;;) {
    const reply = (await call(operation, { limit: WATCHED_ROWS, ...asked }, settings)) as OutputRow
    const rows = reply[name] as OutputRow[]
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

function keyOf(row: OutputRow): string {
  return String(row.job_id)
}

function isGoing({ status }: OutputRow): boolean {
  return status === 'queued' || status === 'processing'
}

function countsOf({ result }: OutputRow): Record<string, number> {
  return (result ?? {}) as Record<string, number>
}

import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Listing } from './call.ts'
import { listFieldOf } from './inputs.ts'
import { EXIT_FAILED, note, type OutputRow, print, tableOf } from './output.ts'

/** Progress display: one updating line on a terminal, an occasional line elsewhere. */
export interface Progress {
  /** Starts a step of the work. */
  begin(doing: string, total: number | undefined, shown?: (count: number) => string): void
  /** Sets the completed amount of the current step. */
  setDone(done: number): void
  /** Removes the progress line. */
  end(): void
}

const TERMINAL_STEP_MS = 100
const LINE_STEP_MS = 5000
const CLEAR_LINE = '\r\u001b[2K'
const WIDTH = 80
const MILLISECONDS = 1000
/** Milliseconds before the remaining time can be estimated. */
const ESTIMATE_MIN_MS = 300

/** Shows progress on standard error, or nowhere if `isQuiet` is set. */
export function openProgress(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): Progress {
  const isTerminal = stream.isTTY === true
  let part = { doing: '', total: undefined as number | undefined, shown: String as (count: number) => string }
  let beganMs = performance.now()
  let wroteMs = isTerminal ? 0 : beganMs
  let isOnLine = false
  let ticking: NodeJS.Timeout | undefined
  const write = (done: number) => {
    const now = performance.now()
    if (isQuiet || now - wroteMs < (isTerminal ? TERMINAL_STEP_MS : LINE_STEP_MS)) return
    wroteMs = now
    const line = progressLine({ ...part, done, elapsedMs: now - beganMs })
    stream.write(isTerminal ? `${CLEAR_LINE}${line.slice(0, (stream.columns || WIDTH) - 1)}` : `${line}\n`)
    isOnLine = isTerminal
  }
  return {
    begin: (doing, total, shown = String) => {
      part = { doing, total, shown }
      beganMs = performance.now()
      if (isTerminal) wroteMs = 0
      write(0)
      clearInterval(ticking)
      // Work without a known total reports no steps, so a timer updates the line.
      if (total === undefined) ticking = setInterval(write, MILLISECONDS, 0).unref()
    },
    setDone: write,
    end: () => {
      clearInterval(ticking)
      if (isOnLine) stream.write(CLEAR_LINE)
      isOnLine = false
    },
  }
}

/** State of a step of the work. */
interface StepProgress {
  doing: string
  done: number
  /** Undefined if the total is unknown. */
  total: number | undefined
  elapsedMs: number
  shown: (count: number) => string
}

/** Formats the progress line: done and total, the rate, and the estimated time left. */
export function progressLine({ doing, done, total, elapsedMs, shown }: StepProgress): string {
  if (total === undefined) return `${doing}, ${duration(elapsedMs)}`
  const counted = `${doing}: ${shown(done)} of ${shown(total)}`
  if (done === 0 || elapsedMs < ESTIMATE_MIN_MS) return counted
  const perMs = done / elapsedMs
  const left = duration((total - done) / perMs)
  return `${counted}, ${shown(Math.round(perMs * MILLISECONDS))}/s, ${left} left`
}

const SECONDS = 60
const MINUTES = 60

/** Formats a duration for people, in seconds, minutes or hours. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / MILLISECONDS)
  if (seconds < SECONDS) return `${seconds} s`
  const minutes = Math.floor(seconds / SECONDS)
  if (minutes < MINUTES) return `${minutes} min ${seconds % SECONDS} s`
  return `${Math.floor(minutes / MINUTES)} h ${minutes % MINUTES} min`
}

const KIB = 1024
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a size for people, in binary units. */
export function size(bytes: number): string {
  let value = bytes
  let at = 0
  for (; value >= KIB && at < UNITS.length - 1; at += 1) value /= KIB
  return `${at === 0 ? value : value.toFixed(1)} ${UNITS[at]}`
}

const FIRST_POLL_MS = 100
const POLL_MS = 1000
/** Default number of newest rows shown when watching a list. */
const WATCHED_ROWS = 50

/** The watched request: of one item, or of a list whose rows are printed whenever they change. */
type Watched = Omit<Listing, 'columns'> & { columns?: readonly string[] | undefined }

/** Polls until no work is in progress. Returns the last reply if a single item is watched. */
export async function watch(watched: Watched): Promise<{ reply: OutputRow; code: number } | undefined> {
  if (watched.columns) return watchRows({ ...watched, columns: watched.columns })
  const progress = openProgress(watched.settings.isQuiet)
  const look = () => call(watched.operation, watched.asked, watched.settings)
  try {
    progress.begin('Importing records', undefined)
    const reply = await untilEnded((await look()) as OutputRow, look, progress)
    return { reply, code: reply.status === 'completed' ? 0 : EXIT_FAILED }
  } finally {
    progress.end()
  }
}

/** Polls a job with `look` until it has ended, and returns it. */
export async function untilEnded(
  first: OutputRow,
  look: () => Promise<unknown>,
  progress: Progress,
): Promise<OutputRow> {
  let job = first
  let total = 0
  for (let waitMs = FIRST_POLL_MS; isInProgress(job); waitMs = Math.min(POLL_MS, 2 * waitMs)) {
    const { received = 0, expected = 0, written = 0, unchanged = 0, removed = 0, failed = 0 } = countsOf(job)
    if (total === 0 || expected > total) {
      total = Math.max(received, expected)
      if (total > 0) progress.begin('Importing records', total)
    }
    progress.setDone(written + unchanged + removed + failed)
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
    if (!rows.some(isInProgress)) {
      note(settings, `No more work in progress, after ${duration(performance.now() - startedMs)}.`)
      return undefined
    }
    await sleep(POLL_MS)
  }
}

function keyOf(row: OutputRow): string {
  return String(row.job_id)
}

function isInProgress({ status }: OutputRow): boolean {
  return status === 'queued' || status === 'processing'
}

function countsOf({ result }: OutputRow): Record<string, number> {
  return (result ?? {}) as Record<string, number>
}

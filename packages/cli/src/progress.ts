/** What a person sees of work that takes its time: one line on a terminal, a line now and then elsewhere. */
export interface Progress {
  /** Starts a part of the work and its count of what is done. */
  begin(doing: string, total: number | undefined, shown?: (count: number) => string): void
  /** Sets how much of the part is done. */
  reached(done: number): void
  /** Takes the line away. */
  end(): void
}

const TERMINAL_STEP_MS = 100
const LINE_STEP_MS = 5000
const CLEAR_LINE = '\r\u001b[2K'
const WIDTH = 80
const MILLISECONDS = 1000
/** Before this much time nobody can say how long it will take. */
const GUESS_MS = 300

/** Shows progress on standard error, or nowhere when it is not wanted. */
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
      // Nothing else tells of what cannot be counted.
      if (total === undefined) ticking = setInterval(write, MILLISECONDS, 0).unref()
    },
    reached: write,
    end: () => {
      clearInterval(ticking)
      if (isOnLine) stream.write(CLEAR_LINE)
      isOnLine = false
    },
  }
}

/** Where a part of the work stands. */
export interface Standing {
  doing: string
  done: number
  /** Undefined where nobody knows how much there is. */
  total: number | undefined
  elapsedMs: number
  shown: (count: number) => string
}

/** The line of progress: done and total, the rate, and the time left at that rate. */
export function progressLine({ doing, done, total, elapsedMs, shown }: Standing): string {
  if (total === undefined) return `${doing}, ${duration(elapsedMs)}`
  const counted = `${doing}: ${shown(done)} of ${shown(total)}`
  if (done === 0 || elapsedMs < GUESS_MS) return counted
  const perMs = done / elapsedMs
  const left = duration((total - done) / perMs)
  return `${counted}, ${shown(Math.round(perMs * MILLISECONDS))}/s, ${left} left`
}

const SECONDS = 60
const MINUTES = 60

/** A time as people say it, to the second, the minute or the hour. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / MILLISECONDS)
  if (seconds < SECONDS) return `${seconds} s`
  const minutes = Math.floor(seconds / SECONDS)
  if (minutes < MINUTES) return `${minutes} min ${seconds % SECONDS} s`
  return `${Math.floor(minutes / MINUTES)} h ${minutes % MINUTES} min`
}

const KIB = 1024
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** A size as people say it. */
export function size(bytes: number): string {
  let value = bytes
  let at = 0
  for (; value >= KIB && at < UNITS.length - 1; at += 1) value /= KIB
  return `${at === 0 ? value : value.toFixed(1)} ${UNITS[at]}`
}

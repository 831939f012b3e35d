import type { Clock } from './clock.ts'

const TEXTS = [
  'requestId',
  'operation',
  'method',
  'route',
  'accountId',
  'sandboxId',
  'sourceId',
  'webhookId',
  'jobId',
] as const
/** `note` is what a fault says to us. */
const MORE_TEXTS = ['fault', 'reason', 'note', 'address', 'version'] as const
const NUMBERS = ['status', 'durationMs', 'count', 'bytes', 'attempt', 'seq'] as const

/** The only fields a log line can have. None of them can hold a body, a query, a name, a secret or content. */
export type LogFields = { [K in (typeof TEXTS | typeof MORE_TEXTS)[number]]?: string } & {
  [K in (typeof NUMBERS)[number]]?: number
} & {
  /** A failure: its kind, code and stack are printed, never its message, which may quote input. */
  error?: unknown
}

/** How much a log says. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A log of one JSON object a line. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

const ALLOWED: ReadonlySet<string> = new Set([...TEXTS, ...MORE_TEXTS, ...NUMBERS])

const FIELD_CHARS_MAX = 500
const STACK_LINES_MAX = 12

/** Takes finished lines, each with its level. */
export type WriteLine = (line: string, level: LogLevel) => void

/** A log at a level that hands each finished line to `write`. Fields that are not allowed are left out. */
export function openLog(level: LogLevel, clock: Clock, write: WriteLine): Log {
  const threshold = LOG_LEVELS.indexOf(level)
  const at = (name: LogLevel) => (event: string, fields?: LogFields) => {
    if (LOG_LEVELS.indexOf(name) < threshold) return
    const line = { time: clock.now().toISOString(), level: name, event, ...allowed(fields) }
    write(`${JSON.stringify(line)}\n`, name)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Lines that are on their way to where a log goes. */
interface Gathered {
  readonly write: WriteLine
  /** Hands on what has gathered. */
  flush(): void
  /** Hands on what was held back, and from now on what comes as it comes. */
  release(): void
}

const GATHERED_MS = 100
const GATHERED_CHARS_MAX = 64 * 1024

/**
 * Hands lines to `write` together, ten times a second: a file or a pipe is written to while everything else waits. A
 * failure is to be seen whatever happens next, so it goes at once, with what came before it. Until `release` a warning
 * does too, and all else is held back as far as there is room.
 */
export function gatherLines(write: (text: string) => void): Gathered {
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  let isHeld = true
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = gathered
    gathered = ''
    if (text !== '') write(text)
  }
  return {
    write: (line, level) => {
      gathered += line
      const isUrgent = level === 'error' || (isHeld && level === 'warn')
      if (isUrgent || gathered.length >= GATHERED_CHARS_MAX) flush()
      else if (!isHeld) timer ??= setTimeout(flush, GATHERED_MS).unref()
    },
    flush,
    release() {
      isHeld = false
      flush()
    },
  }
}

function allowed(fields: LogFields | undefined): Record<string, unknown> {
  const line: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (name === 'error') line.error = describe(value)
    else if (ALLOWED.has(name)) line[name] = typeof value === 'string' ? value.slice(0, FIELD_CHARS_MAX) : value
  }
  return line
}

/** The kind of an error and where it happened, without its message: libraries quote there what they were given. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error }
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  const { code } = error as { code?: unknown }
  return {
    kind: error.name,
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    stack: frames.slice(0, STACK_LINES_MAX).map((line) => line.trim()),
    cause: error.cause === undefined ? undefined : describe(error.cause),
  }
}

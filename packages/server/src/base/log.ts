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
/** Further text fields. `note` is the message that a fault has for the log. */
const MORE_TEXTS = ['fault', 'reason', 'note', 'address', 'version'] as const
const NUMBERS = ['status', 'durationMs', 'count', 'bytes', 'attempt', 'seq'] as const

/** All fields that a log line can have. None may contain a request body, a query, a name, a secret or content. */
export type LogFields = { [K in (typeof TEXTS | typeof MORE_TEXTS)[number]]?: string } & {
  [K in (typeof NUMBERS)[number]]?: number
} & {
  /** An error. Its kind, code and stack are printed, but not its message, which may quote input. */
  error?: unknown
}

/** Log levels, from the most to the least verbose. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A log with one JSON object per line. */
export interface Log {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

const ALLOWED: ReadonlySet<string> = new Set([...TEXTS, ...MORE_TEXTS, ...NUMBERS])

const FIELD_CHARS_MAX = 500
const STACK_LINES_MAX = 12

export type WriteLine = (line: string, level: LogLevel) => void

/** Opens a log. It drops lines below `level` and unknown fields. */
export function openLog(level: LogLevel, clock: Clock, write: WriteLine): Log {
  const threshold = LOG_LEVELS.indexOf(level)
  const at = (name: LogLevel) => (event: string, fields?: LogFields) => {
    if (LOG_LEVELS.indexOf(name) < threshold) return
    const line = { time: clock.now().toISOString(), level: name, event, ...allowed(fields) }
    write(`${JSON.stringify(line)}\n`, name)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

interface BufferedLines {
  readonly write: WriteLine
  flush(): void
  /** Writes the lines that were held back. From then on, no lines are held back. */
  release(): void
}

const FLUSH_INTERVAL_MS = 100
const BUFFERED_CHARS_MAX = 64 * 1024

/**
 * Buffers lines and writes them ten times per second, because writing blocks the event loop. Errors are written at
 * once, together with the lines before them, so that they are not lost in a crash. Until `release` is called, warnings
 * are also written at once, and other lines are held back until the buffer is full.
 */
export function bufferLines(write: (text: string) => void): BufferedLines {
  let buffered = ''
  let timer: NodeJS.Timeout | undefined
  let isHoldingBack = true
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const text = buffered
    buffered = ''
    if (text !== '') write(text)
  }
  return {
    write: (line, level) => {
      buffered += line
      const isUrgent = level === 'error' || (isHoldingBack && level === 'warn')
      if (isUrgent || buffered.length >= BUFFERED_CHARS_MAX) flush()
      else if (!isHoldingBack) timer ??= setTimeout(flush, FLUSH_INTERVAL_MS).unref()
    },
    flush,
    release() {
      isHoldingBack = false
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

/** Describes an error by its kind and stack. The message is omitted, because libraries quote input in it. */
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

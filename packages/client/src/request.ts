import { type Body, type Content, contentBody, jsonBody, linesBody, type Several } from './content.ts'
import { CairnError } from './errors.ts'

/**
 * Describes the request of an operation: method, path, traits, names of query parameters if there is also a body, field
 * of a page that holds its rows, and field that is sent as lines.
 *
 * Each trait is one letter. Retries: `s` safe to repeat, `k` repeatable with an Idempotency-Key, `a` only after asking.
 * Access: `o` open to anybody, `u` callable as a grantee, `c` operates on content, `i` inside a sandbox. Body: `b`
 * JSON, `f` any content. Reply: `e` can be an event stream, `l` lines, `t` text.
 */
export type Row = readonly [verb: string, path: string, traits: string, query?: string, rows?: string, lines?: string]

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Timeout of each attempt in milliseconds: until the reply, and between the chunks of a stream. */
  timeoutMs?: number
  /** Number of retries after a transient failure. */
  retries?: number
  /** Replaces the generated idempotency key. */
  idempotencyKey?: string
  /** Expected version (`If-Match`): the `ETag` of an earlier reply. */
  ifMatch?: string
  /** Waits up to this many seconds, at most 60, for the import, and replies with the finished job. */
  waitSeconds?: number
  /** Also waits, within `waitSeconds`, until the content is embedded and semantic search finds it. */
  waitForReading?: boolean
  /** Additional headers. */
  headers?: Record<string, string>
  /** Called with the reply's status and headers: `etag`, `warning`, `ratelimit-remaining` … */
  onReply?: (reply: Response) => void
}

/** Input of an operation, with wire names. */
export type OperationInput = Readonly<Record<string, unknown>>

/** A request that can be sent more than once. */
export interface Request {
  verb: string
  /** Path with query. */
  path: string
  headers: Record<string, string>
  body: Body | undefined
  /** Retry policy if the outcome is unknown. */
  retry: 'safe' | 'keyed' | 'ask'
}

/** Builds the request of an operation. Throws CairnError for values that would address a different resource. */
export function requestOf(
  [verb, path, traits, query, , lines]: Row,
  input: OperationInput,
  options: CallOptions,
): Request {
  const left = { ...input }
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const part = segment(name, left[name])
    delete left[name]
    return part
  })
  const hasBody = /[bf]/.test(traits)
  const names = hasBody ? (query?.split(' ') ?? []) : Object.keys(left)
  const search = new URLSearchParams()
  for (const name of names) {
    if (left[name] !== undefined && left[name] !== null) search.set(name, String(left[name]))
    delete left[name]
  }
  const isKeyed = traits[0] === 'k'
  return {
    verb,
    path: search.size > 0 ? `${filled}?${search}` : filled,
    headers: {
      ...(isKeyed && { 'idempotency-key': options.idempotencyKey ?? newKey() }),
      ...(options.ifMatch && { 'if-match': options.ifMatch }),
      ...(options.waitSeconds !== undefined && {
        prefer: `wait=${options.waitSeconds}${options.waitForReading ? ', reading' : ''}`,
      }),
      ...options.headers,
    },
    body: hasBody ? bodyOf(left, traits, lines) : undefined,
    retry: isKeyed ? 'keyed' : traits[0] === 'a' ? 'ask' : 'safe',
  }
}

/**
 * Encodes a value as a path segment. Throws CairnError for an empty value and for dots, which would change the path.
 */
function segment(name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  if (/^\.{0,2}$/.test(text)) throw new CairnError(`\`${name}\` must not be empty or consist of dots.`)
  return encodeURIComponent(text)
}

function bodyOf(input: Record<string, unknown>, traits: string, lines: string | undefined): Body {
  if (traits.includes('f')) return contentBody(input.content as Content, input.content_type as string | undefined)
  return lines ? linesBody(input[lines] as Several<unknown>) : jsonBody(input)
}

const KEY_BYTES = 16

/** Returns a random idempotency key. `crypto.randomUUID` is missing on pages without TLS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

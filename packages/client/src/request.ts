import { type Body, type Content, contentBody, jsonBody, linesBody, type Several } from './content.ts'
import { CairnError } from './errors.ts'

/**
 * What a request of an operation is made of: its method, its path, its traits by letters, the names that go to the
 * query where there is a body too, the field of a page that holds its rows, and the field that is sent as lines.
 *
 * The letters: `s` may be repeated, `k` with an Idempotency-Key, `a` not without asking; `o` is open to anybody; `u`
 * can be asked as a grantee; `c` has to do with content, `i` is inside a sandbox, `b` takes JSON, `f` takes content of
 * any kind; `e` can reply in events, `l` replies in lines, `t` in text.
 */
export type Row = readonly [verb: string, path: string, traits: string, query?: string, rows?: string, lines?: string]

/** What a caller wants of one call. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** How long an answer may take, and what comes in pieces may be silent, in milliseconds; each time it is asked. */
  timeoutMs?: number
  /** How often a call that failed for reasons of the moment is made again. */
  retries?: number
  /** In place of the key that is made for this call. */
  idempotencyKey?: string
  /** The version that is to be changed: the `ETag` of a reply. */
  ifMatch?: string
  /** Waits so many seconds, at most 60, for what is sent to be taken in, and replies with the finished job. */
  waitSeconds?: number
  /** Waits until what is sent has been read, too, so that it is found by what it means; within `waitSeconds`. */
  waitForReading?: boolean
  /** More headers. */
  headers?: Record<string, string>
  /** Is told the reply's status and headers: `etag`, `warning`, `ratelimit-remaining` … */
  onReply?: (reply: Response) => void
}

/** What is asked, as on the wire. */
export type OperationInput = Readonly<Record<string, unknown>>

/** A request that can be sent, and sent again. */
export interface Request {
  verb: string
  /** The path with its query. */
  path: string
  headers: Record<string, string>
  body: Body | undefined
  /** What may be done where the outcome is unknown. */
  retry: 'safe' | 'keyed' | 'ask'
}

/** The request that asks this of an operation; throws CairnError for what would make it another. */
export function requestOf(
  [verb, path, traits, query, , lines]: Row,
  asked: OperationInput,
  options: CallOptions,
): Request {
  const left = { ...asked }
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

/** Writes a value into a path. Throws for an empty one and for dots, which would lead to another path. */
function segment(name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  if (/^\.{0,2}$/.test(text)) throw new CairnError(`\`${name}\` must name something.`)
  return encodeURIComponent(text)
}

function bodyOf(asked: Record<string, unknown>, traits: string, lines: string | undefined): Body {
  if (traits.includes('f')) return contentBody(asked.content as Content, asked.content_type as string | undefined)
  return lines ? linesBody(asked[lines] as Several<unknown>) : jsonBody(asked)
}

const KEY_BYTES = 16

/** `crypto.randomUUID` is missing on pages that came without TLS. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

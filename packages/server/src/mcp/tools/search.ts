import { type DiscoveryItem, Type as T } from '@cairnstore/contract'
import { normaliseType } from '@cairnstore/engine/resolve'
import { isDay } from '@cairnstore/engine/text'
import { instantOf, MS_PER_DAY } from '../../base/clock.ts'
import { invalid } from '../../base/fault.ts'
import { oneLine, writeFitting } from '../size-limit.ts'
import { readAddress, toPointer } from './record-pointer.ts'
import { jsonResult, outline, READS, tool } from './tool.ts'

const RESULTS = 8
const RESULTS_MAX = 25
/** Number of best records that are filtered by time and type. */
const CANDIDATES_MAX = 100
const TOKENS = 2_000
const TOKENS_MAX = 6_000
const SNIPPET_CHARS_MAX = 300

export const search = tool({
  name: 'search',
  title: 'Search',
  description: 'Finds records, best first, with a passage from each.',
  role: 'viewer',
  annotations: READS,
  input: T.Object(
    {
      query: T.String(),
      limit: T.Optional(T.Integer({ description: `1 to ${RESULTS_MAX}, default ${RESULTS}.` })),
      since: T.Optional(T.String({ description: 'YYYY-MM-DD.' })),
      until: T.Optional(T.String()),
      types: T.Optional(T.Array(T.String())),
    },
    { additionalProperties: false },
  ),
  output: outline({ results: 'array' }),
  tokensMax: ({ limit = RESULTS }) => (limit > RESULTS ? TOKENS_MAX : TOKENS),
  run: async (using, { query, limit = RESULTS, since, until, types = [] }, sizeLimit) => {
    const wanted = Math.min(Math.max(limit, 1), RESULTS_MAX)
    const isWanted = filterOf({ since, until, types })
    const body = { query, project_id: using.endpoint.project, limit: isWanted ? CANDIDATES_MAX : wanted }
    const { items } = await using.ctx.call('discover', { body })
    const shown = isWanted ? items.filter(isWanted).slice(0, wanted) : items
    const results = shown.map(({ snippet, summary, ...item }) => {
      const pointer = toPointer(using, { ...item, text: summary })
      // Deep research clients require a URL for each result.
      const url = readAddress(using, item.id, item.url)
      return { ...pointer, url, snippet: oneLine(snippet || summary, SNIPPET_CHARS_MAX) }
    })
    return jsonResult(writeFitting(results, sizeLimit, (some) => JSON.stringify({ results: some })))
  },
})

interface SearchFilter {
  since: string | undefined
  until: string | undefined
  types: readonly string[]
}

/** Returns a filter for the given times and types; undefined if none are given. */
function filterOf({ since, until, types }: SearchFilter): ((item: DiscoveryItem) => boolean) | undefined {
  if (since === undefined && until === undefined && types.length === 0) return undefined
  const fromMs = since === undefined ? Number.NEGATIVE_INFINITY : momentOf('since', since)
  const toMs = until === undefined ? Number.POSITIVE_INFINITY : endOf(until)
  const kinds = new Set(types.map(normaliseType))
  return ({ type, occurred_at: at }) => {
    if (kinds.size > 0 && !kinds.has(normaliseType(type))) return false
    if (since === undefined && until === undefined) return true
    const atMs = at ? Date.parse(at) : Number.NaN
    return atMs >= fromMs && atMs < toMs
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** Returns the exclusive end of a day, or of the millisecond of a time. */
function endOf(until: string): number {
  return momentOf('until', until) + (DAY.test(until) ? MS_PER_DAY : 1)
}

/** Returns the instant of a day or time. Throws `validation_error` for any other text. */
function momentOf(name: string, text: string): number {
  const at = instantOf(text)
  if (!at || (DAY.test(text) && !isDay(text)))
    throw invalid(['arguments', name], 'Must be a day, YYYY-MM-DD, or an RFC 3339 time.', 'wrong_form')
  return at.getTime()
}

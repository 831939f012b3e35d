import { Type as T } from '@cairnstore/contract'
import { oneLine, writeFitting } from '../room.ts'
import { readAddress, toShown } from './shown.ts'
import { outline, READS, toldAsJson, tool } from './tool.ts'

const RESULTS = 8
const RESULTS_MAX = 25
const TOKENS = 2_000
const TOKENS_MAX = 6_000
const SNIPPET_CHARS_MAX = 300

/** Words → the records that fit them best, each short. */
export const search = tool({
  name: 'search',
  title: 'Search',
  description: 'Finds records, best first, with a passage of each.',
  role: 'viewer',
  annotations: READS,
  input: T.Object(
    {
      query: T.String(),
      limit: T.Optional(T.Integer({ description: `1 to ${RESULTS_MAX}, default ${RESULTS}.` })),
    },
    { additionalProperties: false },
  ),
  output: outline({ results: 'array' }),
  tokensMax: ({ limit = RESULTS }) => (limit > RESULTS ? TOKENS_MAX : TOKENS),
  run: async (using, { query, limit = RESULTS }, room) => {
    const body = { query, project_id: using.door.project, limit: Math.min(Math.max(limit, 1), RESULTS_MAX) }
    const { items } = await using.ctx.call('discover', { body })
    const results = items.map(({ snippet, summary, ...item }) => {
      const shown = toShown(using, { ...item, text: summary })
      // Deep research asks for an address of each.
      const url = readAddress(using, item.id, item.url)
      return { ...shown, url, snippet: oneLine(snippet || summary, SNIPPET_CHARS_MAX) }
    })
    return toldAsJson(writeFitting(results, room, (some) => JSON.stringify({ results: some })))
  },
})

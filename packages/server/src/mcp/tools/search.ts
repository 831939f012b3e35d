import { Type as T } from '@cairn/contract'
import { oneLine, writeFitting } from '../room.ts'
import { showRecords } from '../shown.ts'
import { READS, tool } from './tool.ts'

const RESULTS = 8
const RESULTS_MAX = 25
const TOKENS = 2_000
const TOKENS_MAX = 6_000
const SNIPPET_CHARS_MAX = 300

/** Words → the records that fit them best, each short. */
export const search = tool({
  name: 'search',
  title: 'Search records',
  description: 'Finds records, best first, with a passage of each; `fetch` gives one in full.',
  role: 'viewer',
  annotations: READS,
  input: T.Object(
    {
      query: T.String({ description: 'Words, names or a question.' }),
      limit: T.Optional(T.Integer({ description: `1 to ${RESULTS_MAX}, default ${RESULTS}.` })),
    },
    { additionalProperties: false },
  ),
  tokensMax: ({ limit = RESULTS }) => (limit > RESULTS ? TOKENS_MAX : TOKENS),
  run: async (using, { query, limit = RESULTS }, room) => {
    const body = { query, project_id: using.door.project, limit: Math.min(Math.max(limit, 1), RESULTS_MAX) }
    const { items } = await using.ctx.call('discover', { body })
    const shown = await showRecords(
      using,
      using.door.project,
      items.map(({ id }) => id),
    )
    const results = items.flatMap(({ id, summary }) => {
      const record = shown.get(id)
      return record ? [{ ...record, snippet: oneLine(summary, SNIPPET_CHARS_MAX) }] : []
    })
    return writeFitting(results, room, (some) => JSON.stringify({ results: some }))
  },
})

import { Type as T } from '@cairnstore/contract'
import { normaliseType } from '@cairnstore/engine/resolve'
import { readNames } from '../../store/read-records.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import { oneLine, writeFitting } from '../size-limit.ts'
import { jsonResult, outline, READS, tool } from './tool.ts'

const ENTITIES = 5
const ENTITIES_MAX = 20
/** Maximum number of matches that are filtered by type. */
const CANDIDATES_MAX = 100
const TOKENS_MAX = 2_000
const NAME_CHARS_MAX = 120
const ALIASES_MAX = 5

export const findEntity = tool({
  name: 'find_entity',
  title: 'Find an entity',
  description: 'Finds people, projects and other things by name.',
  role: 'viewer',
  annotations: READS,
  input: T.Object(
    {
      name: T.String({ description: 'Or an e-mail address, key, handle.' }),
      type: T.Optional(T.String()),
      limit: T.Optional(T.Integer({ description: `1 to ${ENTITIES_MAX}, default ${ENTITIES}.` })),
    },
    { additionalProperties: false },
  ),
  output: outline({ entities: 'array' }),
  tokensMax: () => TOKENS_MAX,
  run: async (using, { name, type, limit = ENTITIES }, sizeLimit) => {
    const { ctx, access, endpoint } = using
    const query = { q: name, limit: CANDIDATES_MAX, ...(endpoint.project && { project_id: endpoint.project }) }
    const { results } = await ctx.call('searchEntities', { query })
    const wanted = type && normaliseType(type)
    const hits = results
      .filter(({ record_type }) => !wanted || normaliseType(record_type) === wanted)
      .slice(0, Math.min(Math.max(limit, 1), ENTITIES_MAX))
    const { snapshot, view } = await openSnapshot(ctx, access, endpoint.project)
    const named = await readNames(
      view,
      snapshot.scope,
      hits.map(({ canonical_id: id }) => id),
    )
    const entities = hits.map((hit) => ({
      id: hit.canonical_id,
      name: oneLine(hit.name, NAME_CHARS_MAX),
      type: oneLine(hit.record_type, NAME_CHARS_MAX),
      aliases: (named.get(hit.canonical_id)?.aliases ?? [])
        .slice(0, ALIASES_MAX)
        .map((alias) => oneLine(alias, NAME_CHARS_MAX)),
    }))
    return jsonResult(writeFitting(entities, sizeLimit, (some) => JSON.stringify({ entities: some })))
  },
})

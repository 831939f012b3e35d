import type { knowledgeOperations } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { acceptSuggestion, dismissSuggestion } from '../../ingest/decide/decide-suggestion.ts'
import { mergeEntities } from '../../ingest/decide/merge-entities.ts'
import { splitEntity } from '../../ingest/decide/split-entity.ts'
import { undoMerge } from '../../ingest/decide/undo-merge.ts'
import { openGround, shownSource } from '../../store/ground.ts'
import { mentionsOf } from '../../store/mentions.ts'
import { readRecords } from '../../store/read-records.ts'
import { recordEvent } from '../../tenancy/audit/record-event.ts'
import { jsonLines } from '../../tenancy/handler.ts'
import { listChanges } from '../changes/list-changes.ts'
import type { Handlers } from '../context.ts'
import { entityDetail } from './entity-detail.ts'
import { entityProfile } from './entity-profile.ts'
import { exportLines } from './export.ts'
import { listEntities } from './list-entities.ts'
import { listRecords } from './list-records.ts'
import { listMergeSuggestions } from './list-suggestions.ts'
import { neighbourhood } from './neighbourhood.ts'
import { overview } from './overview.ts'
import { searchEntities } from './search-entities.ts'
import { wireRecord } from './wire-record.ts'

const SEARCH_ROWS = 10

export const handlers: Handlers<typeof knowledgeOperations> = {
  listEntities: async (ctx, { reach, query }) => {
    return listEntities(ctx, reach, await openGround(ctx, reach, query.project_id), query)
  },

  searchEntities: async (ctx, { reach, query }) => {
    const { ground, view } = await openGround(ctx, reach, query.project_id)
    const options = { limit: query.limit ?? SEARCH_ROWS, minSimilarity: query.min_similarity ?? 0 }
    return { results: await searchEntities(view, ground.scope, query.q, options) }
  },

  getEntity: async (ctx, { reach, params, query }) => {
    const { ground, view } = await openGround(ctx, reach, query.project_id)
    return entityDetail(ctx, reach, ground, view, params.canonical_id)
  },

  listNeighbours: async (ctx, { reach, params, query }) =>
    neighbourhood(ctx, reach, await openGround(ctx, reach, query.project_id), params.canonical_id, query),

  getEntityProfile: async (ctx, { reach, params, query }) =>
    entityProfile(ctx, reach, await openGround(ctx, reach, query.project_id), params.canonical_id, query.max_tokens),

  getOverview: async (ctx, { reach, query }) => overview(ctx, reach, await openGround(ctx, reach, query.project_id)),

  listChanges: async (ctx, { reach, query }) =>
    listChanges(ctx, reach, await openGround(ctx, reach, query.project_id), query),

  mergeEntities: (ctx, { reach, params, body }) =>
    mergeEntities(ctx, reach, { from: params.canonical_id, into: body.into }),
  splitEntity: (ctx, { reach, params, body }) =>
    splitEntity(ctx, reach, { entityId: params.canonical_id, keys: body.keys }),
  undoMerge: (ctx, { reach, params }) =>
    undoMerge(ctx, reach, { entityId: params.canonical_id, mergeId: params.merge_id }),

  listMergeSuggestions: async (ctx, { reach, query }) =>
    listMergeSuggestions(ctx, reach, await openGround(ctx, reach, query.project_id), query),
  acceptMergeSuggestion: (ctx, { reach, params }) => acceptSuggestion(ctx, reach, params.suggestion_id),
  dismissMergeSuggestion: (ctx, { reach, params }) => dismissSuggestion(ctx, reach, params.suggestion_id),

  listRecords: async (ctx, { reach, query }) => {
    return listRecords(ctx, reach, await openGround(ctx, reach, query.project_id), query)
  },

  getRecord: async (ctx, { reach, params }) => {
    const { ground, view } = await openGround(ctx, reach, null)
    if (!view.graph.hasRecord(params.record_id, ground.scope)) throw new Fault('not_found')
    const record = (await readRecords(view, [params.record_id])).get(params.record_id)
    if (!record) throw new Fault('not_found')
    const shown = { ...record, sourceId: shownSource(reach, ground, record.sourceId) }
    return wireRecord(shown, reach.sandboxId, mentionsOf(view, ground.scope, record.content))
  },

  exportKnowledge: async (ctx, { reach }) => {
    const { ground, view } = await openGround(ctx, reach, null)
    const { holderId, sandboxId } = reach
    await ctx.sql.transact(holderId, (tx) => recordEvent(ctx, tx, { holderId, sandboxId, subjectId: sandboxId }))
    return jsonLines(exportLines(ctx, view, ground, reach))
  },
}

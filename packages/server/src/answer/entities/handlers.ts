import type {
  EntitySummary,
  Id,
  knowledgeOperations,
  MergeSuggestionPage,
  RecordPage,
  SuggestionState,
} from '@cairnstore/contract'
import type { ListedRecord } from '@cairnstore/engine/rank'
import { fieldsAsked, wordsAsked } from '@cairnstore/engine/understand'
import { instantOf } from '../../base/clock.ts'
import { openPage, type PageRequest, type Position } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import type { Row } from '../../db/tables.ts'
import {
  acceptSuggestion,
  dismissSuggestion,
  mergeEntities,
  splitEntity,
  undoMerge,
} from '../../ingest/decide/decisions.ts'
import { fileHeaders, findOriginal } from '../../sources/originals/find-original.ts'
import { findMentions } from '../../store/mentions.ts'
import { decryptEvidence } from '../../store/merge-ledger.ts'
import { listSuggestions } from '../../store/merge-suggestions.ts'
import { readRecords } from '../../store/read-records.ts'
import { openSnapshot, type ReadSnapshot, visibleSource } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import { isEntirelyInScope } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { recordEvent } from '../../tenancy/audit/record-event.ts'
import { bytesOf, jsonLines } from '../../tenancy/handler.ts'
import { getSourceRow } from '../../tenancy/sources/source-rows.ts'
import { listChanges } from '../changes/list-changes.ts'
import type { AnswerCtx, AnswerHandlers } from '../context.ts'
import { entityDetail } from './entity-detail.ts'
import { entityProfile } from './entity-profile.ts'
import { exportLines } from './export.ts'
import { listEntities, searchEntities, summaries } from './list-entities.ts'
import { neighbourhood } from './neighbourhood.ts'
import { overview } from './overview.ts'
import { toSummary, wireRecord } from './wire-record.ts'

const SEARCH_ROWS = 10

export const handlers: AnswerHandlers<typeof knowledgeOperations> = {
  listEntities: async (ctx, { access, query }) => {
    return listEntities(ctx, access, await openSnapshot(ctx, access, query.project_id), query)
  },

  searchEntities: async (ctx, { access, query }) => {
    const { snapshot, view } = await openSnapshot(ctx, access, query.project_id)
    const options = { limit: query.limit ?? SEARCH_ROWS, minSimilarity: query.min_similarity ?? 0 }
    return { results: await searchEntities(view, snapshot.scope, query.q, options) }
  },

  getEntity: async (ctx, { access, params, query }) => {
    const { snapshot, view } = await openSnapshot(ctx, access, query.project_id)
    return entityDetail(ctx, access, snapshot, view, params.canonical_id)
  },

  listNeighbours: async (ctx, { access, params, query }) =>
    neighbourhood(ctx, access, await openSnapshot(ctx, access, query.project_id), params.canonical_id, query),

  getEntityProfile: async (ctx, { access, params, query }) =>
    entityProfile(
      ctx,
      access,
      await openSnapshot(ctx, access, query.project_id),
      params.canonical_id,
      query.max_tokens,
    ),

  getOverview: async (ctx, { access, query }) =>
    overview(ctx, access, await openSnapshot(ctx, access, query.project_id)),

  listChanges: async (ctx, { access, query }) =>
    listChanges(ctx, access, await openSnapshot(ctx, access, query.project_id), query),

  mergeEntities: (ctx, { access, params, body }) =>
    mergeEntities(ctx, access, { from: params.canonical_id, into: body.into }),
  splitEntity: (ctx, { access, params, body }) =>
    splitEntity(ctx, access, { entityId: params.canonical_id, keys: body.keys }),
  undoMerge: (ctx, { access, params }) =>
    undoMerge(ctx, access, { entityId: params.canonical_id, mergeId: params.merge_id }),

  listMergeSuggestions: async (ctx, { access, query }) =>
    listMergeSuggestions(ctx, access, await openSnapshot(ctx, access, query.project_id), query),
  acceptMergeSuggestion: (ctx, { access, params }) => acceptSuggestion(ctx, access, params.suggestion_id),
  dismissMergeSuggestion: (ctx, { access, params }) => dismissSuggestion(ctx, access, params.suggestion_id),

  listRecords: async (ctx, { access, query }) => {
    return listRecords(ctx, access, await openSnapshot(ctx, access, query.project_id), query)
  },

  getRecord: async (ctx, { access, params }) => {
    const { snapshot, view } = await openSnapshot(ctx, access, null)
    if (!view.graph.hasRecord(params.record_id, snapshot.scope)) throw new Fault('not_found')
    const record = (await readRecords(view, [params.record_id])).get(params.record_id)
    if (!record) throw new Fault('not_found')
    const shown = { ...record, sourceId: visibleSource(access, snapshot, record.sourceId) }
    const wire = wireRecord(shown, access.sandboxId, findMentions(view, snapshot.scope, record.content))
    const original = await findOriginal(ctx, sandboxOf(access), params.record_id)
    if (!original) return wire
    const { name, type: media_type, bytes } = original
    return { ...wire, original: { name, media_type, bytes } }
  },

  downloadOriginal: async (ctx, { access, params }) => {
    const { snapshot, view } = await openSnapshot(ctx, access, null)
    const isSeen = view.graph.hasRecord(params.record_id, snapshot.scope)
    const original = isSeen ? await findOriginal(ctx, sandboxOf(access), params.record_id) : undefined
    if (!original) throw new Fault('not_found')
    return bytesOf(original.read(), fileHeaders(original))
  },

  exportKnowledge: async (ctx, { access }) => {
    const { snapshot, view } = await openSnapshot(ctx, access, null)
    const { holderId, sandboxId } = access
    await ctx.sql.transact(holderId, (tx) => recordEvent(ctx, tx, { holderId, sandboxId, subjectId: sandboxId }))
    return jsonLines(exportLines(ctx, view, snapshot, access))
  },
}

function sandboxOf({ holderId, sandboxId }: AccessScope) {
  return { userId: holderId, sandboxId }
}

interface RecordsQuery extends PageRequest {
  type?: string | undefined
  source_id?: string | undefined
  since?: string | null | undefined
  until?: string | null | undefined
  q?: string | undefined
  phase?: string | undefined
  owner?: string | undefined
  due?: string | undefined
  kind?: string | undefined
}

/** Returns one page of the records in scope, latest first. Throws `not_found` for a source outside the access scope. */
async function listRecords(
  ctx: Pick<AnswerCtx, 'caller' | 'cursors' | 'sql'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  listed: RecordsQuery,
): Promise<RecordPage> {
  const { type, source_id: sourceId, since, until, q, phase, owner, due, kind } = listed
  const asked = [type, sourceId, since, until, q, snapshot.projectId, phase, owner, due, kind]
  const page = openPage(ctx.cursors, ['records', ctx.caller.accountId, access.sandboxId, ...asked], listed)
  // The source is checked first. A caller limited to a project must not learn which of its records came from a source
  // outside the project.
  if (sourceId !== undefined) await ctx.sql.transact(access.holderId, (tx) => getSourceRow(tx, access, sourceId))
  const words = [...(q?.trim() ? wordsAsked(q, view.hash) : []), ...fieldsAsked({ phase, owner, due, kind }, view.hash)]
  const filter = {
    type: type && typeInGraph(view, type),
    sourceId,
    time: since || until ? { fromMs: msOf(since, FIRST_MS), toMs: msOf(until, Number.POSITIVE_INFINITY) } : undefined,
    words: words.length > 0 ? words : undefined,
  }
  const found = view.graph.list(filter, snapshot.scope, page.after && toListed(page.after), page.rowsMax)
  const { rows, end } = page.cut(found, (last) => [last.atMs, last.id])
  const ids = rows.map(({ id }) => id)
  const records = [...(await readRecords(view, ids)).values()].map((record) =>
    toSummary(record, visibleSource(access, snapshot, record.sourceId)),
  )
  return { records, ...end, count: records.length }
}

/** Start position of a list: before any possible time of a record. */
const FIRST_MS = Number.NEGATIVE_INFINITY

function msOf(given: string | null | undefined, otherwise: number): number {
  return (given ? instantOf(given)?.getTime() : undefined) ?? otherwise
}

function toListed([atMs, id]: Position): ListedRecord {
  return { id: String(id), atMs: atMs === null ? null : Number(atMs) }
}

/** Returns a record type as the graph stores it: encrypted with a customer-managed key, plain otherwise. */
function typeInGraph(view: SandboxView, type: string): string {
  return view.seal ? view.seal.encryptText(type) : type
}

interface SuggestionsQuery extends PageRequest {
  state?: SuggestionState | undefined
  min_likelihood?: number | undefined
}

/** Number of rows per query while visible suggestions are searched. */
const ROWS_PER_LOOK = 1_000

/** Returns one page of merge suggestions, newest first. Includes only those whose evidence is entirely in scope. */
async function listMergeSuggestions(
  ctx: Pick<AnswerCtx, 'caller' | 'cursors' | 'sql'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  listed: SuggestionsQuery,
): Promise<MergeSuggestionPage> {
  const { state = 'open', min_likelihood: leastLikely = 0 } = listed
  const scope = ['suggestions', ctx.caller.accountId, access.sandboxId, state, leastLikely, snapshot.projectId]
  const page = openPage(ctx.cursors, scope, listed)
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  const found: Row<'merge_suggestion'>[] = []
  let beforeId = page.after && String(page.after[0])
  for (let isMore = true; isMore && found.length < page.rowsMax; ) {
    const asked = { state, leastLikely, beforeId, limit: ROWS_PER_LOOK }
    const rows = await ctx.sql.transact(access.holderId, (tx) => listSuggestions(tx, sandbox, asked))
    found.push(...rows.filter((row) => isShown(view, snapshot, row)))
    beforeId = rows.at(-1)?.id
    isMore = rows.length === ROWS_PER_LOOK
  }
  const { rows, end } = page.cut(found.slice(0, page.rowsMax), (last) => [last.id])
  const ids = new Set(rows.flatMap((row) => entityIdsOf(view, row)))
  const known = new Map((await summaries(view, snapshot, [...ids])).map((each) => [each.canonical_id, each]))
  return { merge_suggestions: rows.map((row) => toWire(view, row, known)), ...end }
}

/** Returns the current ids of the two entities. After a merge there is only one. */
function entityIdsOf(view: SandboxView, { one_part: one, other_part: other }: Row<'merge_suggestion'>): string[] {
  return [...new Set([one, other].map(view.canonical))].sort()
}

/** Returns true if the suggestion is still valid and all its evidence is in scope. */
function isShown(view: SandboxView, { scope }: ReadSnapshot, row: Row<'merge_suggestion'>): boolean {
  const ids = entityIdsOf(view, row)
  return ids.length === (row.state === 'accepted' ? 1 : 2) && ids.every((id) => isEntirelyInScope(view, scope, id))
}

function toWire(
  view: SandboxView,
  row: Row<'merge_suggestion'>,
  known: ReadonlyMap<string, EntitySummary>,
): MergeSuggestionPage['merge_suggestions'][number] {
  const { reason, ...evidence } = decryptEvidence(row.id, row.evidence, view.seal)
  return {
    suggestion_id: row.id as Id<'suggestion'>,
    state: row.state,
    entities: entityIdsOf(view, row).flatMap((id) => known.get(id) ?? []),
    likelihood: row.likelihood,
    reason: String(reason),
    evidence,
    suggested_at: row.suggested_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
    merge_id: row.merge_id,
  }
}

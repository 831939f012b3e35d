import type { Id, RecordPage, RecordSummary } from '@cairnstore/contract'
import type { ListedRecord } from '@cairnstore/engine/rank'
import { fieldsAsked, wordsAsked } from '@cairnstore/engine/understand'
import { openPage, type PageAsked, type Position } from '../../base/cursor.ts'
import { instantOf } from '../../base/instant.ts'
import { type Ground, shownSource } from '../../store/ground.ts'
import { readRecords } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { getSourceRow } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'

interface Listed extends PageAsked {
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

/** One page of the records in scope, the latest first. Throws `not_found` for a source out of reach. */
export async function listRecords(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'sql'>,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  listed: Listed,
): Promise<RecordPage> {
  const { type, source_id: sourceId, since, until, q, phase, owner, due, kind } = listed
  const asked = [type, sourceId, since, until, q, ground.projectId, phase, owner, due, kind]
  const page = openPage(ctx.cursors, ['records', ctx.caller.accountId, reach.sandboxId, ...asked], listed)
  // Who is limited to a project does not learn which of its records came from a source outside it.
  if (sourceId !== undefined) await ctx.sql.transact(reach.holderId, (tx) => getSourceRow(tx, reach, sourceId))
  const words = [...(q?.trim() ? wordsAsked(q, view.hash) : []), ...fieldsAsked({ phase, owner, due, kind }, view.hash)]
  const filter = {
    type: type && typeInGraph(view, type),
    sourceId,
    time: since || until ? { fromMs: msOf(since, FIRST_MS), toMs: msOf(until, Number.POSITIVE_INFINITY) } : undefined,
    words: words.length > 0 ? words : undefined,
  }
  const found = view.graph.list(filter, ground.scope, page.after && toListed(page.after), page.rowsMax)
  const { rows, end } = page.cut(found, (last) => [last.atMs, last.id])
  const ids = rows.map(({ id }) => id)
  const records = [...(await readRecords(view, ids)).values()].map(
    ({ id, sourceId: from, content }): RecordSummary => ({
      record_id: id as Id<'record'>,
      external_id: content.external_id,
      type: content.type,
      title: content.title ?? null,
      occurred_at: content.occurred_at ?? null,
      source_id: shownSource(reach, ground, from),
      url: content.url ?? null,
    }),
  )
  return { records, ...end, count: records.length }
}

/** Earlier than any moment that a record can have. */
const FIRST_MS = Number.NEGATIVE_INFINITY

function msOf(given: string | null | undefined, otherwise: number): number {
  return (given ? instantOf(given)?.getTime() : undefined) ?? otherwise
}

function toListed([atMs, id]: Position): ListedRecord {
  return { id: String(id), atMs: atMs === null ? null : Number(atMs) }
}

/** A type of records as the graph holds it. */
function typeInGraph(view: SandboxView, type: string): string {
  return view.seal ? view.seal.hide(type) : type
}

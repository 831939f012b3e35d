import type { EntitySummary, Id, MergeSuggestionPage, SuggestionState } from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import type { Row } from '../../db/tables.ts'
import type { Ground } from '../../store/ground.ts'
import { openEvidence } from '../../store/merge-ledger.ts'
import { listSuggestions } from '../../store/merge-suggestions.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import { isWhollyIn } from '../../store/wholly-in.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { summaries } from './list-entities.ts'

interface SuggestionsQuery extends PageAsked {
  state?: SuggestionState | undefined
  min_likelihood?: number | undefined
}

/** Rows that are looked at at once for some that can be shown. */
const ROWS_PER_LOOK = 1_000

/** One page of the pairs that may be one, as far as all that they rest on is in scope, the newest first. */
export async function listMergeSuggestions(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'sql'>,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  listed: SuggestionsQuery,
): Promise<MergeSuggestionPage> {
  const { state = 'open', min_likelihood: leastLikely = 0 } = listed
  const scope = ['suggestions', ctx.caller.accountId, reach.sandboxId, state, leastLikely, ground.projectId]
  const page = openPage(ctx.cursors, scope, listed)
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId }
  const found: Row<'merge_suggestion'>[] = []
  let beforeId = page.after && String(page.after[0])
  for (let isMore = true; isMore && found.length < page.rowsMax; ) {
    const asked = { state, leastLikely, beforeId, limit: ROWS_PER_LOOK }
    const rows = await ctx.sql.transact(reach.holderId, (tx) => listSuggestions(tx, sandbox, asked))
    found.push(...rows.filter((row) => isShown(view, ground, row)))
    beforeId = rows.at(-1)?.id
    isMore = rows.length === ROWS_PER_LOOK
  }
  const { rows, end } = page.cut(found.slice(0, page.rowsMax), (last) => [last.id])
  const ids = new Set(rows.flatMap((row) => entityIdsOf(view, row)))
  const known = new Map((await summaries(view, ground, [...ids])).map((each) => [each.canonical_id, each]))
  return { merge_suggestions: rows.map((row) => toWire(view, row, known)), ...end }
}

/** The two entities as they are now; the one that remains after a merge comes first. */
function entityIdsOf(view: SandboxView, { one_part: one, other_part: other }: Row<'merge_suggestion'>): string[] {
  return [...new Set([one, other].map(view.canonical))].sort()
}

/** Whether the two are still what the row says of them, and nothing that they rest on is out of scope. */
function isShown(view: SandboxView, { scope }: Ground, row: Row<'merge_suggestion'>): boolean {
  const ids = entityIdsOf(view, row)
  return ids.length === (row.state === 'accepted' ? 1 : 2) && ids.every((id) => isWhollyIn(view, scope, id))
}

function toWire(
  view: SandboxView,
  row: Row<'merge_suggestion'>,
  known: ReadonlyMap<string, EntitySummary>,
): MergeSuggestionPage['merge_suggestions'][number] {
  const { reason, ...evidence } = openEvidence(row.id, row.evidence, view.seal)
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

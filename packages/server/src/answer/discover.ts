import type { Discover, Discovery, DiscoveryItem, Id } from '@cairnstore/contract'
import { locatorOf, type SummaryQuestion, summarizeRecord } from '@cairnstore/engine/answer'
import type { RankedRecord } from '@cairnstore/engine/rank'
import type { NamedEntity, ReadRecord } from '@cairnstore/engine/resolve'
import { describeIntent, ownTerms } from '@cairnstore/engine/understand'
import { linkOf } from '../base/link.ts'
import { namesOf, readRecords } from '../store/read-records.ts'
import { openSnapshot, visibleSource } from '../store/read-snapshot.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { Answered } from './answer-meta.ts'
import { allWarnings } from './answer-meta.ts'
import type { AnswerCtx } from './context.ts'
import { intentNotes } from './intent-notes.ts'
import { filePaths } from './origins.ts'
import { embeddingWarnings, rankRecords } from './rank-records.ts'
import { parsePreset, readIntent } from './read-intent.ts'

const ITEMS = 10
const REPHRASE = 'Rephrase the question, or name a person, an issue key or a place from the records.'
/** Maximum number of entities of an item. More would be less specific. */
const ENTITIES_SHOWN = 6

/** Returns the records that match a question, best first. Each has the entities by which it can be pinned. */
export async function discover(
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'key' | 'knowledge' | 'models' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
  given: Discover,
): Promise<Answered<Discovery>> {
  const { asked, notes } = parsePreset(access, given)
  const opened = await openSnapshot(ctx, access, asked.project_id)
  const { snapshot, view } = opened
  const intent = await readIntent(ctx, asked, view, snapshot)
  const waiting = embeddingWarnings(ctx, opened, asked, intent)
  const { ranked, failures } = await rankRecords(ctx, access, opened, asked, intent, asked.limit ?? ITEMS)
  const ids = ranked.map(({ id }) => id)
  const records = await readRecords(view, ids)
  const names = namesOf(records.values())
  const weights = view.graph.weighTerms(intent.query, snapshot.scope)
  const about = { terms: ownTerms(intent.whole), stems: intent.stems, weights }
  const items = ranked.flatMap((found) => {
    const record = records.get(found.id)
    if (!record) return []
    const sourceId = visibleSource(access, snapshot, record.sourceId)
    return [toItem(found, { ...record, sourceId }, names, about)]
  })
  const header = headerOf(items, snapshot.scope ? undefined : view.graph.recordCount)
  const reply = {
    header: [header, ...(await intentNotes(view, intent, ids))].join(' '),
    items,
    ...(asked.explain && { intent: describeIntent(intent, view, snapshot.scope) }),
    count: items.length,
    sandbox_id: access.sandboxId as Id<'sandbox'>,
    project_id: snapshot.projectId,
    query: asked.query,
    next_steps: nextSteps(items, access),
  }
  return { reply, how: { warnings: [...notes, ...waiting, ...allWarnings(failures)] } }
}

function toItem(
  found: RankedRecord,
  { id, sourceId, content, things }: ReadRecord,
  names: ReadonlyMap<string, NamedEntity>,
  about: SummaryQuestion,
): DiscoveryItem {
  const declared = things.flatMap(({ entityId }) => entityId ?? [])
  const entityIds = [...new Set([...found.entityIds, ...declared])].filter((id) => names.has(id))
  const matched = found.matched.flatMap((id) => names.get(id)?.name ?? [])
  const paths = filePaths(content, things)
  const shown = summarizeRecord(content, about)
  const locator = locatorOf(shown.snippet, content)
  const link = linkOf(content.url)
  return {
    id,
    score: found.score,
    ...(content.title && { title: content.title }),
    type: content.type,
    ...(link && { url: link }),
    ...shown,
    ...(locator !== undefined && { locator }),
    canonical_ids: [...entityIds.slice(0, ENTITIES_SHOWN), id],
    ...(matched.length > 0 && { matched_query_nodes: matched }),
    ...(paths.length > 0 && { file_paths: paths }),
    occurred_at: content.occurred_at ?? null,
    source_id: sourceId,
    record_id: id,
    external_id: content.external_id,
    ...(found.given && { why: roundedScores(found.given) }),
  }
}

/** Returns the positive ranking features of a record, rounded to thousandths. */
function roundedScores(given: NonNullable<RankedRecord['given']>): Record<string, number> {
  const entries = Object.entries(given).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000] as const)
  return Object.fromEntries(entries.filter(([, value]) => value > 0))
}

/** Returns a one-sentence summary of the items. In a limited scope it omits the total number of records. */
function headerOf(items: DiscoveryItem[], recordCount: number | undefined): string {
  if (recordCount === 0) return 'Nothing is stored here yet.'
  if (items.length === 0) return 'No record is relevant to the question.'
  const times = items.flatMap((item) => item.occurred_at ?? []).sort()
  const [first = ''] = times
  const span = times.length > 1 ? `, from ${first.slice(0, 10)} to ${(times.at(-1) ?? '').slice(0, 10)}` : ''
  return `The ${counted(items.length, 'most relevant record')}${recordCount ? ` of ${recordCount}` : ''}${span}.`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function nextSteps(items: DiscoveryItem[], access: AccessScope): string {
  if (items.length === 0) return REPHRASE
  const brief = `POST /api/v1/query/sandboxes/${access.sandboxId}/interpret`
  const first = `GET /api/v1/storage/sandboxes/${access.sandboxId}/records/${items[0]?.id}`
  return `${brief} with canonical_ids of items as tuples for a summary. ${first} for the full first record.`
}

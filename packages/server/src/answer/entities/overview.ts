import type { Id, Overview, RecordSummary } from '@cairnstore/contract'
import type { Scope } from '@cairnstore/engine/rank'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { foldText, identifiersOf, isTimeName, mentionsOf, normaliseName, wordsOfFolded } from '@cairnstore/engine/text'
import { readNames, readRecords } from '../../store/read-records.ts'
import { type ReadSnapshot, visibleSource } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { sourcesIn } from '../../tenancy/sources/source-rows.ts'
import type { AnswerCtx } from '../context.ts'
import { toSummary } from './wire-record.ts'

const TYPES_SHOWN = 100
const SOURCES_SHOWN = 200
const ENTITY_TYPES_SHOWN = 12
const ENTITIES_OF_TYPE = 8
const TOPICS_SHOWN = 20

/** Returns the overview: the record types and sources in scope, and the most mentioned entities and topics. */
export async function overview(
  ctx: Pick<AnswerCtx, 'sql'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
): Promise<Overview> {
  const { scope } = snapshot
  const { records, parts, newest, oldest, entities, names } = view.graph.overview(scope)
  const ends = await readRecords(
    view,
    [newest, oldest, ...names.map(({ recordId }) => recordId)].flatMap((id) => id ?? []),
  )
  const shown = (id: string | undefined): RecordSummary | undefined => {
    const record = id === undefined ? undefined : ends.get(id)
    return record && toSummary(record, visibleSource(access, snapshot, record.sourceId))
  }
  const [first, last] = [shown(oldest), shown(newest)]
  const held = await entitiesOf(view, scope, entities)
  return {
    sandbox_id: access.sandboxId as Id<'sandbox'>,
    project_id: snapshot.projectId,
    record_count: records,
    types: typesOf(view, parts),
    sources: await sourcesOf(ctx, access, snapshot, parts),
    ...(last && { newest: last }),
    ...(first && { oldest: first }),
    entities: held,
    topics: whole(
      names.flatMap(({ key, recordId, records: record_count }) => {
        const name = nameIn(view, ends.get(recordId), key)
        return name === undefined || isTimeName(name) ? [] : { name, record_count }
      }),
      held.flatMap((each) => each.entities),
    )
      .sort((one, other) => other.record_count - one.record_count || (one.name < other.name ? -1 : 1))
      .slice(0, TOPICS_SHOWN),
  }
}

/** Removes topics that are only a part of a longer name: "Kite" if "Red Kite" is at least as frequent. */
function whole(
  topics: Overview['topics'],
  entities: readonly { name: string; record_count: number }[],
): Overview['topics'] {
  const toWords = ({ name, record_count }: (typeof entities)[number]) => ({
    words: ` ${normaliseName(name)} `,
    record_count,
  })
  const longer = [...topics, ...entities].map(toWords)
  return topics.filter((topic) => {
    const { words, record_count } = toWords(topic)
    return !longer.some(
      (other) => other.words.length > words.length && other.words.includes(words) && other.record_count >= record_count,
    )
  })
}

type OverviewParts = ReturnType<SandboxView['graph']['overview']>['parts']

function typesOf(view: SandboxView, parts: OverviewParts): Overview['types'] {
  const counts = new Map<string, number>()
  for (const { type, records } of parts) counts.set(type, (counts.get(type) ?? 0) + records)
  return [...counts]
    .map(([type, record_count]) => ({ type: view.seal ? view.seal.decryptText(type) : type, record_count }))
    .sort((one, other) => other.record_count - one.record_count || (one.type < other.type ? -1 : 1))
    .slice(0, TYPES_SHOWN)
}

/** Returns all sources in scope, including empty ones. Records of hidden sources count under a null id. */
async function sourcesOf(
  ctx: Pick<AnswerCtx, 'sql'>,
  access: AccessScope,
  snapshot: ReadSnapshot,
  parts: OverviewParts,
): Promise<Overview['sources']> {
  const all = await ctx.sql.transact(access.holderId, (tx) =>
    sourcesIn(tx, access)
      .select(['source.id', 'source.name', 'source.provider', 'source.status', 'source.last_sync_at'])
      .orderBy('source.id')
      .execute(),
  )
  const statsBySource = new Map<string | null, { records: number; newestMs: number | null }>()
  for (const { sourceId, records, newestMs } of parts) {
    const id = visibleSource(access, snapshot, sourceId)
    const known = statsBySource.get(id)
    const newest = [known?.newestMs, newestMs].flatMap((each) => each ?? [])
    statsBySource.set(id, {
      records: records + (known?.records ?? 0),
      newestMs: newest.length > 0 ? Math.max(...newest) : null,
    })
  }
  const inScope = all.filter(({ id }) => statsBySource.has(id) || !snapshot.scope || snapshot.scope.sourceIds?.has(id))
  const known = new Set(inScope.map(({ id }) => id))
  const others = [...statsBySource].filter(([id]) => id === null || !known.has(id))
  const rows = [
    ...inScope.map(({ id, name, provider, status, last_sync_at: syncedAt }) => ({
      source_id: id,
      name,
      provider,
      status,
      ...countsOf(statsBySource.get(id)),
      last_sync_at: syncedAt?.toISOString() ?? null,
    })),
    ...others.map(([id, counts]) => ({ source_id: id, ...countsOf(counts) })),
  ]
  return rows.sort((one, other) => other.record_count - one.record_count).slice(0, SOURCES_SHOWN)
}

function countsOf(counts: { records: number; newestMs: number | null } | undefined) {
  const newestMs = counts?.newestMs ?? null
  return { record_count: counts?.records ?? 0, newest_at: newestMs === null ? null : new Date(newestMs).toISOString() }
}

async function entitiesOf(
  view: SandboxView,
  scope: Scope | null,
  entities: ReturnType<SandboxView['graph']['overview']>['entities'],
): Promise<Overview['entities']> {
  const names = await readNames(
    view,
    scope,
    entities.map(({ id }) => id),
  )
  const byType = new Map<string, Overview['entities'][number]['entities']>()
  for (const { id, records } of entities) {
    const named = names.get(id)
    if (!named) continue
    const others = byType.get(named.type) ?? []
    if (others.length < ENTITIES_OF_TYPE) others.push({ canonical_id: id, name: named.name, record_count: records })
    byType.set(named.type, others)
  }
  return [...byType].slice(0, ENTITY_TYPES_SHOWN).map(([type, own]) => ({ type, entities: own }))
}

/** Returns the name of a hashed key as the record writes it. */
function nameIn(view: SandboxView, record: ReadRecord | undefined, key: number): string | undefined {
  for (const text of [record?.content.title, record?.content.text]) {
    if (!text) continue
    const folded = foldText(text)
    const words = wordsOfFolded(folded)
    const found = mentionsOf(words, identifiersOf(folded, words)).find((mention) => view.hash(mention.key) === key)
    if (found) return folded.slice(words[found.at]!.from, words[found.at + found.length - 1]!.to)
  }
  return undefined
}

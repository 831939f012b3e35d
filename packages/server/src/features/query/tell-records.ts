import type { InterpretCitation, ToldStatement } from '@cairn/contract'
import type { Ctx } from '../handler.ts'
import { terms } from '../knowledge/analyser/terms.ts'
import type { Ground } from '../knowledge/ground.ts'
import type { SandboxView } from '../knowledge/knowledge.ts'
import { namesOf, type ReadRecord, readRecords } from '../knowledge/read-records.ts'
import type { Reach } from '../sharing/reach.ts'
import { composeBrief } from './brief/compose-brief.ts'
import { referenceDate } from './question.ts'
import { readSources } from './read-sources.ts'
import { toBriefRecord, unresolvedIds } from './to-brief-record.ts'

/** A record to tell of, and the tuples it stands for. */
export interface Pinned {
  id: string
  /** In (0, 1]. */
  score: number
  /** Indexes of tuples; none for a record that was found around them. */
  tuples: number[]
  entityIds: readonly string[]
}

/** What is asked of the records, and how long the answer may be. */
export interface Telling {
  query: string
  referenceDate: string | null | undefined
  tuples: string[][]
  maxTokens: number
  detail?: 'concise' | 'detailed'
  /** Whether the statements are given with their grounds. */
  explain: boolean | null | undefined
}

/**
 * Tells what the records say to the question, in a brief whose every statement is taken or computed from them. What it
 * cites is known in the scope.
 */
export async function tellRecords(
  ctx: Ctx,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  pinned: readonly Pinned[],
  telling: Telling,
): Promise<{ brief: string; citations: InterpretCitation[]; statements?: ToldStatement[] }> {
  const unresolved = unresolvedIds(view, ground.scope, telling.tuples)
  const records = await readRecords(
    view,
    pinned.map(({ id }) => id),
  )
  const sources = await readSources(ctx, reach, [...records.values()])
  const names = namesOf([...records.values(), ...(await readWriters(view, ground, records))])
  const { brief, citations, statements } = composeBrief({
    query: telling.query,
    terms,
    referenceDate: referenceDate(ctx, telling.referenceDate),
    records: pinned.flatMap((ranked) => {
      const record = records.get(ranked.id)
      return record ? [toBriefRecord(record, ranked, names, sources)] : []
    }),
    tuples: telling.tuples,
    unresolvedIds: unresolved,
    maxTokens: telling.maxTokens,
    ...(telling.detail && { detail: telling.detail }),
  })
  return {
    brief,
    citations: citations.filter(({ canonical_id: id }) => records.has(id) || names.has(id)),
    ...(telling.explain && {
      statements: statements.map(({ recordIds, ...statement }) => ({ ...statement, record_ids: recordIds })),
    }),
  }
}

/** Writers whose full names are looked up, and the records that each is looked up in: the own one first. */
const WRITERS_MAX = 40
const RECORDS_PER_WRITER = 3

/** Records in scope that know the writers best, as a message often has no more of its writer than a login. */
async function readWriters(
  view: SandboxView,
  { scope }: Ground,
  records: ReadonlyMap<string, ReadRecord>,
): Promise<Iterable<ReadRecord>> {
  const things = [...records.values()].flatMap((record) => record.things)
  const writers = new Set(things.flatMap(({ thing, entityId }) => (thing.role === 'author' && entityId) || []))
  const known = [...writers]
    .slice(0, WRITERS_MAX)
    .flatMap((id) => view.graph.recordsOf(id, scope, RECORDS_PER_WRITER))
    .filter((id) => !records.has(id))
  return (await readRecords(view, [...new Set(known)])).values()
}

import type { InterpretCitation, Phase } from '@cairnstore/contract'
import {
  type Brief,
  type BriefRecord,
  nameWords,
  renderContents,
  renderEntities,
  renderPhase,
  type ScopeContents,
} from '@cairnstore/engine/answer'
import type { NamedEntity, ReadRecord } from '@cairnstore/engine/resolve'
import { MS_PER_DAY } from '@cairnstore/engine/text'
import { type Broad, fieldsAsked } from '@cairnstore/engine/understand'
import { Fault } from '../base/fault.ts'
import { namesOf, readRecords } from '../store/read-records.ts'
import type { ReadSnapshot } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { citeRecords, citeRows } from './cite-records.ts'
import type { AnswerCtx } from './context.ts'
import { readEntityFacts } from './entities/entity-profile.ts'
import { overview } from './entities/overview.ts'
import { ownEntity, toBriefRecord } from './to-brief-record.ts'

/** Minimum number of records for an entity to count as a main topic. */
const TOPIC_RECORDS_MIN = 2

interface BroadOptions {
  /** Date on which the stated facts must hold, YYYY-MM-DD. */
  referenceDate: string
  maxTokens: number
  isDetailed: boolean
}

export interface BroadAnswer {
  answer: string
  citations: InterpretCitation[]
  statements: Brief['statements']
}

/**
 * Answers a question that asks for no single fact, with a profile of the named entities or an overview of the sandbox.
 * Returns undefined if only the name is known or nothing is stored.
 */
export async function answerBroad(
  ctx: Pick<AnswerCtx, 'clock' | 'sql'>,
  access: AccessScope,
  opened: { snapshot: ReadSnapshot; view: SandboxView },
  broad: Broad,
  options: BroadOptions,
): Promise<BroadAnswer | undefined> {
  const isOfThing = broad.of === 'thing'
  const composed = isOfThing
    ? await describeEntities(ctx, access, opened, broad, options)
    : renderContents(await holdingsOf(ctx, access, opened), broad.of === 'courtesy', options.maxTokens)
  if (!composed || composed.statements.length === 0) return undefined
  const { brief: answer, statements, citations } = composed
  const { snapshot, view } = opened
  const cited = isOfThing ? await cite(opened, composed) : await citeRows(view, snapshot.scope, citations, [])
  return { answer, statements, citations: cited }
}

async function describeEntities(
  ctx: Pick<AnswerCtx, 'clock' | 'sql'>,
  access: AccessScope,
  opened: { snapshot: ReadSnapshot; view: SandboxView },
  { entityIds, nameGoesOn, asksWork }: Extract<Broad, { of: 'thing' }>,
  { referenceDate, maxTokens, isDetailed }: BroadOptions,
): Promise<Brief | undefined> {
  // The last millisecond of the reference date.
  const atMs = Date.parse(referenceDate) + MS_PER_DAY - 1
  const things = []
  for (const id of entityIds) {
    try {
      const { thing, entity } = await readEntityFacts(ctx, access, opened, id, atMs)
      const called = new Set(nameWords([...entity.names, ...Object.values(entity.identifiers).flat()].join(' ')))
      if (nameGoesOn.every((word) => called.has(word))) things.push(thing)
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'not_found')) throw error
    }
  }
  return renderEntities(things, { asksWork, isDetailed, maxTokens })
}

async function holdingsOf(
  ctx: Pick<AnswerCtx, 'sql'>,
  access: AccessScope,
  opened: { snapshot: ReadSnapshot; view: SandboxView },
): Promise<ScopeContents> {
  const { record_count, sources, oldest, newest, entities, topics } = await overview(ctx, access, opened)
  const end = (record: typeof newest) =>
    record?.occurred_at ? { id: record.record_id, atMs: Date.parse(record.occurred_at) } : undefined
  const [first, last] = [end(oldest), end(newest)]
  return {
    records: record_count,
    sources: sources.flatMap(({ name, record_count: records }) => (name && records > 0 ? [{ name, records }] : [])),
    ...(first && { oldest: first }),
    ...(last && { newest: { ...last, ...(newest?.title && { title: newest.title }) } }),
    entities: entities.flatMap(({ type, entities: each }) => {
      const topEntities = each.filter(({ record_count: held }) => held >= Math.min(TOPIC_RECORDS_MIN, record_count))
      return topEntities.length === 0
        ? []
        : [topEntities.map(({ canonical_id: canonicalId, name }) => ({ canonicalId, name, type }))]
    }),
    topics: topics.map(({ name }) => name),
  }
}

/**
 * Answers a question about all work in certain phases, latest first. Uses the phases that records declare, and the task
 * lists in texts. Returns undefined if there is none in scope.
 */
export async function listWorkInPhases(
  opened: { snapshot: ReadSnapshot; view: SandboxView },
  phases: readonly Phase[],
  maxTokens: number,
): Promise<BroadAnswer | undefined> {
  const { snapshot, view } = opened
  const terms = phases.flatMap((phase) => fieldsAsked({ phase }, view.hash).flat())
  const total = terms.reduce((sum, term) => sum + view.graph.degreeOf(term, snapshot.scope), 0)
  const latest = async (words: number[], limit: number) => {
    const ids = view.graph.list({ words: [words] }, snapshot.scope, undefined, limit).map(({ id }) => id)
    const read = await readRecords(view, ids)
    return ids.flatMap((id) => read.get(id) ?? []).map((record) => unrankedBriefRecord(record, new Map()))
  }
  const listing = TASK_LIST_STATES.flatMap((tasks) => fieldsAsked({ tasks }, view.hash).flat())
  const composed = renderPhase(
    {
      phases,
      records: await latest(terms, PHASE_RECORDS_MAX),
      total,
      listing: await latest(listing, LISTING_RECORDS_MAX),
    },
    maxTokens,
  )
  return (
    composed && { answer: composed.brief, statements: composed.statements, citations: await cite(opened, composed) }
  )
}

/** Maximum number of records that are read. Fewer are named, because some have no name. */
const PHASE_RECORDS_MAX = 10
/** Task states to search for in texts, and maximum number of records with task lists that are read, latest first. */
const TASK_LIST_STATES = ['open', 'done']
const LISTING_RECORDS_MAX = 40

/** Returns the citations with the records that support the statements, otherwise with other records of the entities. */
async function cite(
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  { citations, statements }: Brief,
) {
  const supporting = statements.flatMap(({ recordIds }) => recordIds)
  const held = citations.flatMap(({ canonical_id: id }) => view.graph.recordsOf(id, snapshot.scope, 1))
  const records = [...(await readRecords(view, [...new Set([...supporting, ...held])])).values()]
  const names = namesOf(records)
  const cited = records.map((record) => ({ ...unrankedBriefRecord(record, names), own: ownEntity(record) }))
  return citeRecords(citations, statements, cited)
}

function unrankedBriefRecord(record: ReadRecord, names: ReadonlyMap<string, NamedEntity>): BriefRecord {
  return toBriefRecord(record, { score: 1, tuples: [], entityIds: [] }, names, new Map())
}

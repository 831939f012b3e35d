import type { Interpret } from '@cairnstore/contract'
import type { RankedRecord, Scope } from '@cairnstore/engine/rank'
import { UNNAMED_USER_KEY } from '@cairnstore/engine/resolve'
import { predicateWords } from '@cairnstore/engine/text'
import type { Intent } from '@cairnstore/engine/understand'
import { idsOf } from '../store/mentions.ts'
import type { ReadSnapshot } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Pinned } from './brief-input.ts'
import type { AnswerCtx } from './context.ts'

/** Maximum number of records of a brief. If more are pinned, the least relevant are dropped. */
const RECORDS_MAX = 40
/** Maximum number of records of one tuple, so that an entity with very many records leaves space for other tuples. */
const RECORDS_PER_TUPLE_MAX = 10
/** Number of records that the `discover` preset adds to the pinned ones. */
const RETRIEVED_AROUND = 10
/** Weight of an added record relative to a pinned one. */
export const RETRIEVED_WEIGHT = 0.8

/** Returns the records for the requested tuples of entity or record ids, most relevant first. */
export async function pin(
  ctx: Pick<AnswerCtx, 'signal'>,
  view: SandboxView,
  snapshot: ReadSnapshot,
  asked: Pick<Interpret, 'items' | 'preset'>,
  { query, fullQuery, times }: Intent,
): Promise<Pinned[]> {
  const { scope } = snapshot
  const tuples = asked.items.map((tuple) => tuple.map((id) => view.graph.declaredNamesake(view.canonical(id), scope)))
  const pinned = new Map<string, Pinned>()
  const add = (record: RankedRecord, tuple: number | null, weight: number) => {
    const { id, entityIds, passages } = record
    const known = pinned.get(id) ?? { id, score: 0, tuples: [], entityIds, ...(passages && { passages }) }
    pinned.set(id, {
      ...known,
      score: Math.max(known.score, record.score * weight),
      tuples: tuple === null ? known.tuples : [...known.tuples, tuple],
    })
  }
  // The id of a record pins only that record. Entities in the same tuple then add no others.
  const byTuple = await view.ranking.pinned(fullQuery, scope, tuples, RECORDS_PER_TUPLE_MAX, ctx.signal)
  for (const [tuple, records] of byTuple.entries()) {
    for (const record of records) add(record, tuple, 1)
  }
  if (asked.preset === 'discover') {
    const found = await view.ranking.candidates(query, scope, RETRIEVED_AROUND, { times, signal: ctx.signal })
    for (const record of found) add(record, null, RETRIEVED_WEIGHT)
  }
  return firstOfEachTuple([...pinned.values()])
}

/** Limits the number of records. Each tuple keeps its best record; the best of the others fill the rest. */
function firstOfEachTuple(pinned: Pinned[]): Pinned[] {
  const byScore = pinned.sort((one, other) => other.score - one.score)
  const served = new Set<number>()
  const firsts = new Set<Pinned>()
  for (const record of byScore) {
    if (!record.tuples.some((tuple) => !served.has(tuple))) continue
    firsts.add(record)
    for (const tuple of record.tuples) served.add(tuple)
  }
  const others = byScore.filter((record) => !firsts.has(record))
  const selected = new Set([...firsts, ...others].slice(0, RECORDS_MAX))
  return byScore.filter((record) => selected.has(record))
}

/** Maximum number of records with facts for one answer, latest first. */
const OWN_RECORDS_MAX = 20

/**
 * Adds the records in which the sandbox's unnamed user stated the requested facts. If the question asks for no such
 * facts, returns the records unchanged.
 */
export async function withUserFacts(
  view: SandboxView,
  scope: Scope | null,
  pinned: readonly Pinned[],
  { factsAsked }: Pick<Intent, 'factsAsked'>,
): Promise<readonly Pinned[]> {
  if (factsAsked === undefined) return pinned
  const [user] = view.graph.entitiesWithKey(view.hash(UNNAMED_USER_KEY)).map(view.canonical)
  if (user === undefined) return pinned
  const wanted = new Set(factsAsked.predicates.map(predicateWords))
  const links = await view.store.linksOf(view.head, await idsOf(view, scope, [user]))
  const stated = links.filter(
    ({ predicate, recordId }) => wanted.has(predicateWords(predicate)) && view.graph.hasRecord(recordId, scope),
  )
  const known = new Map(pinned.map((each) => [each.id, each]))
  // Ids are in order of ingestion.
  const ids = [...new Set(stated.map(({ recordId }) => recordId))].sort().slice(-OWN_RECORDS_MAX)
  const more = ids.filter((id) => !known.has(id)).map((id): Pinned => ({ id, score: SCORE, tuples: [], entityIds: [] }))
  return [...pinned, ...more]
}

/** Score of an added record. It is low, because the record only provides facts or conversation context. */
const SCORE = 0.01

/** Maximum number of messages around the most relevant one that are added for a summary. */
const CONVERSATION_MAX = 10

/** Adds the conversation context of the first record if the question asks for a summary. */
export function withConversation(
  view: SandboxView,
  scope: Scope | null,
  pinned: readonly Pinned[],
  { whole }: Pick<Intent, 'whole'>,
): readonly Pinned[] {
  const [first] = pinned
  if (!whole.isSummary || first === undefined) return pinned
  const known = new Set(pinned.map(({ id }) => id))
  const messages = view.graph.conversationContext(first.id, scope, CONVERSATION_MAX).filter((id) => !known.has(id))
  return [...pinned, ...messages.map((id): Pinned => ({ id, score: SCORE, tuples: [], entityIds: [] }))]
}

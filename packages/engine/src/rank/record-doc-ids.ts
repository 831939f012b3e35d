import { addId, compareIds, countIds, findOrdinal, idAt, removeId } from './id-table.ts'
import { withCapacity } from './number-tables.ts'
import type { GraphStore } from './store.ts'

/** Returns the first document ordinal of a record, or undefined if there is no such record. */
export function findRecord({ recordTable, recordFirsts }: GraphStore, id: string): number | undefined {
  const number = findOrdinal(recordTable, id)
  return number === undefined ? undefined : recordFirsts[number]
}

export function countStored({ recordTable }: GraphStore): number {
  return countIds(recordTable)
}

/** Returns the id of the record at an ordinal, or an empty string if it was removed. */
export function recordIdAt({ recordTable, recordNumbers }: GraphStore, docId: number): string {
  return idAt(recordTable, recordNumbers[docId]! - 1) ?? ''
}

/** Compares the ids of the records at two ordinals. */
export function compareRecordIds({ recordTable, recordNumbers }: GraphStore, one: number, other: number): number {
  return compareIds(recordTable, recordNumbers[one]! - 1, recordNumbers[other]! - 1)
}

/** Returns true if the ordinal is the first one of an existing record. */
export function isFirstDocId({ recordNumbers, recordFirsts }: GraphStore, docId: number): boolean {
  const number = recordNumbers[docId]!
  return number > 0 && recordFirsts[number - 1] === docId
}

/** Assigns ordinals to a record. The first one represents the record. */
export function addRecordAt(store: GraphStore, id: string, docIds: readonly number[]): void {
  const number = addId(store.recordTable, id)
  store.recordFirsts = withCapacity(store.recordFirsts, number + 1)
  store.recordFirsts[number] = docIds[0]!
  for (const docId of docIds) store.recordNumbers[docId] = number + 1
}

/** Removes a record's id from the table and from its ordinals. */
export function removeRecordFrom(store: GraphStore, id: string, docIds: readonly number[]): void {
  removeId(store.recordTable, id)
  for (const docId of docIds) store.recordNumbers[docId] = 0
}

/** A document ordinal with its score. */
export interface Scored {
  docId: number
  score: number
}

/** Minimum size of the buffer that is sorted when it is full. */
const BUFFER_MIN = 64

/** Returns a comparison by score. Ties are broken by a value that is the same in every process. */
export function byScore(store: GraphStore): (a: Scored, b: Scored) => number {
  const { recordNumbers } = store
  return (a, b) => {
    if (a.score !== b.score) return b.score - a.score
    if (recordNumbers[a.docId] === recordNumbers[b.docId])
      return store.recordPassages[a.docId]! - store.recordPassages[b.docId]!
    return tieBreakerOf(store, a.docId) - tieBreakerOf(store, b.docId) || compareRecordIds(store, a.docId, b.docId)
  }
}

/** Returns the tie-breaker of a record. With a customer-managed key, it is stored encrypted and revealed here. */
export function tieBreakerOf(store: GraphStore, docId: number): number {
  const stored = store.recordTies[docId]!
  return store.keyedTieBreakers === undefined
    ? stored
    : store.keyedTieBreakers.reveal(docId, stored, () => recordIdAt(store, docId))
}

/** Returns the `limit` best of the first `count` ordinals by `scores`, in order. */
export function topDocs(
  store: GraphStore,
  docIds: ArrayLike<number>,
  count: number,
  scores: Float64Array,
  limit: number,
): Scored[] {
  const inOrder = byScore(store)
  // Twice the limit is collected between two sorts, so that most ordinals cost one comparison.
  const bufferSize = Math.max(limit * 2, BUFFER_MIN)
  const bufferScores = new Float64Array(Math.min(bufferSize, count))
  let buffer: Scored[] = []
  let least = Number.MIN_VALUE
  let leastTieBreaker = Number.POSITIVE_INFINITY
  for (let at = 0; at < count; at += 1) {
    const docId = docIds[at]!
    const score = scores[docId]!
    // Many ordinals often have equal scores, for example all records of one entity. The tie-breaker skips them without
    // a sort.
    if (score < least || (score === least && tieBreakerOf(store, docId) > leastTieBreaker)) continue
    bufferScores[buffer.length] = score
    buffer.push({ docId, score })
    if (buffer.length < bufferSize) continue
    // Sorting only the numbers yields the threshold. If too many scores are equal, the tie-breakers decide.
    least = bufferScores.sort()[bufferSize - limit]!
    buffer = buffer.filter((found) => found.score >= least)
    if (buffer.length > (limit + bufferSize) / 2) {
      buffer = buffer.sort(inOrder).slice(0, limit)
      leastTieBreaker = tieBreakerOf(store, buffer.at(-1)!.docId)
    } else leastTieBreaker = Number.POSITIVE_INFINITY
    for (const [position, found] of buffer.entries()) bufferScores[position] = found.score
  }
  return buffer.sort(inOrder).slice(0, limit)
}

/** Maximum number of rounds of exact scoring. Each covers twice as many ordinals as the one before. */
const EXACT_ROUNDS_MAX = 8

/**
 * Returns the `limit` best of `docIds` by `exact`. `scores` holds an upper bound for each ordinal, and receives the
 * exact scores that are computed. After EXACT_ROUNDS_MAX rounds it returns the best of the ordinals examined so far.
 */
export function topDocsExactly(
  store: GraphStore,
  docIds: readonly number[],
  scores: Float64Array,
  limit: number,
  exact: (docId: number) => number,
): Scored[] {
  const exactDocIds = new Set<number>()
  const take = (count: number): Scored[] => topDocs(store, docIds, docIds.length, scores, count)
  for (let round = 0; round < EXACT_ROUNDS_MAX; round += 1) {
    const best = take(limit)
    if (best.every(({ docId }) => exactDocIds.has(docId))) return best
    for (const { docId } of round === 0 ? best : take(limit * 2 ** round)) {
      if (exactDocIds.has(docId)) continue
      exactDocIds.add(docId)
      scores[docId] = exact(docId)
    }
  }
  return topDocs(store, [...exactDocIds], exactDocIds.size, scores, limit)
}

/** Returns all ordinals of a record, given its first one. */
export function docIdsOfRecord(store: GraphStore, docId: number): readonly number[] {
  const others = store.passages.get(docId)
  return others === undefined ? [docId] : [docId, ...others]
}

/** Returns the first ordinal of the record that an ordinal belongs to. */
export function recordDocId(store: GraphStore, docId: number): number {
  return store.recordPassages[docId] === 0 ? docId : store.recordFirsts[store.recordNumbers[docId]! - 1]!
}

/** Keeps the best passage of each record, in the given order. */
export function onePerRecord(store: GraphStore, scored: readonly Scored[]): Scored[] {
  if (store.passages.size === 0) return [...scored]
  const seen = new Set<number>()
  return scored.filter(({ docId }) => {
    const record = recordDocId(store, docId)
    return !seen.has(record) && seen.add(record)
  })
}

/** Returns the `limit` best records among the first `count` ordinals, each by the ordinal of its best passage. */
export function topRecords(
  store: GraphStore,
  docIds: ArrayLike<number>,
  count: number,
  scores: Float64Array,
  limit: number,
): Scored[] {
  if (store.passages.size === 0) return topDocs(store, docIds, count, scores, limit)
  const inOrder = byScore(store)
  const best = new Map<number, Scored>()
  for (let at = 0; at < count; at += 1) {
    const docId = docIds[at]!
    const found = { docId, score: scores[docId]! }
    const record = recordDocId(store, docId)
    const known = best.get(record)
    if (known === undefined || inOrder(found, known) < 0) best.set(record, found)
  }
  const bestDocIds = Uint32Array.from(best.values(), ({ docId }) => docId)
  return topDocs(store, bestDocIds, bestDocIds.length, scores, limit)
}

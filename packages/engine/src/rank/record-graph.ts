import type { Question, TermWeights } from '../understand/analyse-question.ts'
import type { NameFound } from '../understand/broad.ts'
import type { QuestionTimes } from '../understand/find-times.ts'
import type { TimeSpan } from '../understand/time-span.ts'
import { createScratch, scratchBytes, weighTerms } from './bm25.ts'
import { conversationContext } from './conversation-context.ts'
import { type GraphEntity, ownersOf, putEntity, removeEntity } from './entities.ts'
import { fromSnapshot, loadSnapshot, toSnapshot } from './graph-snapshot.ts'
import { countIds, type IdTable, idAt } from './id-table.ts'
import { identifiedNames, linkQuestion } from './linking.ts'
import { edgesOf, isCertainlyLinked } from './links.ts'
import {
  countDeclaring,
  countRecords,
  declaredNamesake,
  docsOfEntity,
  holdsKey,
  type ListedRecord,
  listRecords,
  nodeOf,
  type RecordFilter,
  type RecordsOfTypes,
  recordsOfTypes,
  typesIn,
} from './lookups.ts'
import { overviewOf, type ScopeOverview } from './overview.ts'
import { rankTuples } from './pinned.ts'
import { findList } from './postings.ts'
import {
  questionNameWeight,
  type RankedRecord,
  type RankOptions,
  rankByWords,
  rankDocuments,
  significantEntities,
  toRanked,
} from './rank-documents.ts'
import { countStored, findRecord, recordIdAt } from './record-doc-ids.ts'
import { findByKey, type GraphRecord, putRecord, recordsUpTo, remainingDocs, removeRecord } from './records.ts'
import { revealTieBreakers } from './reveal-tie-breakers.ts'
import { countsOf, countTerm } from './scope-counts.ts'
import { type CountsOf, createViews, isInScope, type Scope, type ScopeView } from './scope-view.ts'
import { shareStore } from './share-store.ts'
import type { GraphSnapshot } from './snapshot.ts'
import { createStore, type GraphStore, storeBytes, type TieBreakers } from './store.ts'
import { nearestTimes, occursIn } from './time-weight.ts'
import { createVectorOperations, type NearRecord, nearestRecords, type VectorOperations } from './vectors.ts'
import { WEIGHTS, type Weights } from './weights.ts'

/** The in-memory read index of one sandbox: records, entities, and the keys that join them. */
export interface RecordGraph extends VectorOperations {
  /** Adds a record or replaces the one with the same id. Throws a RangeError if its analysis has another version. */
  putRecord(record: GraphRecord): void
  removeRecord(id: string): void
  putEntity(entity: GraphEntity): void
  removeEntity(id: string): void
  readonly recordCount: number
  readonly entityCount: number
  /** Record ids and their numbers, for external tables by record. Only the graph modifies it. */
  readonly recordTable: IdTable
  /** Entity ids and their ordinals, for external tables by entity. Only the graph modifies it. */
  readonly entityTable: IdTable
  /** Returns the number of document ordinals in scope. A long record has one for each passage. */
  countRecords(scope: Scope | null): number
  /**
   * Number of document ordinals that can still be added. A long record needs one for each passage. Beyond the limit,
   * `putRecord` throws GraphFull.
   */
  readonly remainingDocs: number
  /** Estimated memory use in bytes. */
  readonly bytes: number
  /** Returns an index snapshot. It references the graph's own arrays, so it is valid only until the graph changes. */
  toSnapshot(): GraphSnapshot
  /** Replaces the contents with a snapshot and keeps cached results that are still valid. */
  load(snapshot: GraphSnapshot): void
  /** Moves the arrays to shared memory, one array per step. The graph may change between two steps. */
  share(): Iterator<void>
  /** Estimated size of working arrays and cached results, in bytes. */
  readonly workingBytes: number
  /** Frees working arrays and caches. The next question allocates and computes them again. */
  clearCaches(): void
  hasRecord(id: string, scope: Scope | null): boolean
  /** Returns the id of the record with this hash of source and external id. */
  recordWithKey(externalKey: number): string | undefined
  /** Returns a summary of the contents of a scope. */
  overview(scope: Scope | null): ScopeOverview
  /** Returns the types of the records in scope. */
  typesIn(scope: Scope | null): ReadonlySet<string>
  /** Returns the records in scope that have one of the types. */
  recordsOfTypes(types: ReadonlySet<string>, scope: Scope | null): RecordsOfTypes
  /** Returns up to `limit` matching records in scope after `after`, latest first. */
  list(filter: RecordFilter, scope: Scope | null, after: ListedRecord | undefined, limit: number): ListedRecord[]
  /** Returns the sorted ids of the entities that own a key. */
  entitiesWithKey(key: number): string[]
  /** Returns the number of records in scope that declare a key. */
  countDeclaring(key: number, scope: Scope | null): number
  /** Ranks records, most relevant first. Records in a time range come before others that match equally well. */
  rank(
    question: Question,
    scope: Scope | null,
    limit: number,
    time?: QuestionTimes,
    options?: RankOptions,
  ): RankedRecord[]
  /** Returns the weight of each query term in scope. */
  weighTerms(question: Question, scope: Scope | null): TermWeights
  /** Default weights of the signals in `rank`. */
  readonly weights: Weights
  /** Returns the commit number of a record's version, or undefined if there is no such record. */
  seqOf(recordId: string): number | undefined
  /** Returns the ids of up to `limit` records whose version is from commit `seq` or earlier. */
  recordsUpTo(seq: number, limit: number): string[]
  /** Returns the nearest records by vector; see `nearestRecords`. */
  nearest(vector: Int8Array, scope: Scope | null, limit: number, time?: QuestionTimes): NearRecord[]
  /**
   * Returns the weight of a question's names against its words, from 0 to 1. A greater weight favors the graph's order
   * over the vectors' order.
   */
  nameWeight(question: Question, scope: Scope | null): number
  /** Returns the given records that are in scope, with their given scores and in the format of `rank`. */
  toRanked(question: Question, scope: Scope | null, scored: readonly { id: string; score: number }[]): RankedRecord[]
  /** Returns true if any record in scope occurred in the time range. */
  occursIn(time: TimeSpan, scope: Scope | null): boolean
  nearestTimes(time: TimeSpan, scope: Scope | null): ReturnType<typeof nearestTimes>
  /** Ranks by words only. It is the baseline of the benchmark. */
  rankLexical(question: Question, scope: Scope | null, limit: number): RankedRecord[]
  /** Returns the records that each tuple of ids names, or else those with most of its entities; see `rankTuples`. */
  rankPinned(question: Question, scope: Scope | null, tuples: readonly string[][], limit: number): RankedRecord[][]
  /** Returns true if a record in scope contains an entity. */
  containsEntity(entityId: string, scope: Scope | null): boolean
  /** Returns the declared entity with the name of an entity that is only mentioned; see `declaredNamesake`. */
  declaredNamesake(entityId: string, scope: Scope | null): string
  /** Returns the ids of records in scope that contain an entity, those with most mentions first. */
  recordsOf(entityId: string, scope: Scope | null, limit: number): string[]
  countRecordsOf(entityId: string, scope: Scope | null): number
  /** Returns neighboring records of a conversation; see `conversationContext`. */
  conversationContext(recordId: string, scope: Scope | null, limit: number): string[]
  /** Returns the number of records in scope that contain a term. */
  degreeOf(term: number, scope: Scope | null): number
  /** Corpus statistics of a scope. They are valid until the graph changes. */
  readonly counts: CountsOf
  /** Returns true if a record in scope mentions or declares a key. */
  holdsKey(key: number, scope: Scope | null): boolean
  /** Returns the entities of a record in scope, the most significant first. */
  entitiesOf(recordId: string, scope: Scope | null): string[]
  entitiesNamed(question: Question, scope: Scope | null): string[]
  /** Returns the names in the question that identify entities in scope, in the order of the text. */
  namesIn(question: Question, scope: Scope | null): NameFound[]
  /** Returns a view of the same graph whose rankings read the stored tie-breakers through `ties`. */
  withTieBreakers(ties: TieBreakers): RecordGraph
}

/** Approximate number of bytes per cached item of a view. */
const BYTES_PER_CACHED_ITEM = 64
/** Bytes per record in tables outside the graph. */
const BYTES_PER_RECORD = 8
/** Bytes per entity in tables outside the graph. */
const BYTES_PER_ENTITY = 16
/** Bytes of the objects of an empty graph. */
const BYTES_PER_GRAPH = 28 * 2 ** 10

/** State that the parts of a graph share. */
interface GraphInternals {
  store: GraphStore
  viewOf: (scope: Scope | null) => ScopeView
  scratch: ReturnType<typeof createScratch>
  /** Returns the ordinal of a record in scope, or undefined. */
  docIdInScope: (view: ScopeView, recordId: string) => number | undefined
}

/**
 * Creates an empty graph, or one from a snapshot. Throws a RangeError if the snapshot is invalid. `corpusCounts`
 * supplies corpus statistics of the complete scope if this graph holds only some of its records.
 */
export function createRecordGraph(snapshot?: GraphSnapshot, corpusCounts?: CountsOf): RecordGraph {
  const store = snapshot ? fromSnapshot(snapshot) : createStore()
  const views = createViews(store, corpusCounts)
  const scratch = createScratch()
  const docIdInScope = (view: ScopeView, recordId: string): number | undefined => {
    const docId = findRecord(store, recordId)
    return docId !== undefined && isInScope(view, docId) ? docId : undefined
  }
  const internals: GraphInternals = { store, viewOf: views.of, scratch, docIdInScope }
  const graph: RecordGraph = {
    ...createLookups(internals),
    ...createRanking(internals),
    ...createVectorOperations(store, views.of),
    get vectorCount() {
      return store.vectors.count
    },
    putRecord: (record) => putRecord(store, record),
    removeRecord: (id) => removeRecord(store, id),
    putEntity: (entity) => putEntity(store, entity),
    removeEntity: (id) => removeEntity(store, id),
    recordTable: store.recordTable,
    entityTable: store.entityTable,
    get recordCount() {
      return countStored(store)
    },
    get entityCount() {
      return countIds(store.entityTable)
    },
    get remainingDocs() {
      return remainingDocs(store)
    },
    get bytes() {
      const around = BYTES_PER_RECORD * countStored(store) + BYTES_PER_ENTITY * countIds(store.entityTable)
      return storeBytes(store) + BYTES_PER_GRAPH + around + graph.workingBytes
    },
    get workingBytes() {
      return scratchBytes(scratch) + BYTES_PER_CACHED_ITEM * views.countCachedItems()
    },
    load: (next) => loadSnapshot(store, next),
    share: () => shareStore(store),
    toSnapshot: () => toSnapshot(store),
    clearCaches: () => {
      views.clear()
      Object.assign(scratch, createScratch())
      store.unitSums = new Float64Array(0)
      store.orders.clear()
    },
    seqOf: (recordId) => {
      const docId = findRecord(store, recordId)
      return docId === undefined ? undefined : store.recordSeqs[docId]
    },
    recordsUpTo: (seq, limit) => recordsUpTo(store, seq, limit),
    withTieBreakers: (ties) => revealTieBreakers(graph, store, ties),
  }
  return graph
}

function createLookups({ store, viewOf, scratch, docIdInScope }: GraphInternals) {
  return {
    countRecords: (scope) => viewOf(scope).records,
    hasRecord: (id, scope) => docIdInScope(viewOf(scope), id) !== undefined,
    recordWithKey: (externalKey) => findByKey(store, externalKey),
    overview: (scope) => overviewOf(viewOf(scope)),
    typesIn: (scope) => typesIn(viewOf(scope)),
    recordsOfTypes: (types, scope) => recordsOfTypes(viewOf(scope), types),
    list: (filter, scope, after, limit) => listRecords(viewOf(scope), filter, after, limit),
    entitiesWithKey: (hash) => {
      const key = findList(store.keys, hash)
      const owners = key < 0 ? [] : ownersOf(store, key)
      return owners.map((owner) => idAt(store.entityTable, owner)!).sort()
    },
    countDeclaring: (key, scope) => countDeclaring(viewOf(scope), key),
    declaredNamesake: (entityId, scope) => declaredNamesake(viewOf(scope), entityId),
    containsEntity: (entityId, scope) => {
      const view = viewOf(scope)
      const node = nodeOf(view, entityId)
      return (
        node !== undefined && (isCertainlyLinked(view, node) || docsOfEntity(view, scratch, entityId, 1).length > 0)
      )
    },
    recordsOf: (entityId, scope, limit) =>
      docsOfEntity(viewOf(scope), scratch, entityId, limit).map(({ docId }) => recordIdAt(store, docId)),
    countRecordsOf: (entityId, scope) => {
      const view = viewOf(scope)
      const node = nodeOf(view, entityId)
      return node === undefined ? 0 : countRecords(store, edgesOf(view, node).docIds)
    },
    conversationContext: (recordId, scope, limit) => conversationContext(viewOf(scope), recordId, limit),
    degreeOf: (term, scope) => countTerm(viewOf(scope), term),
    counts: (scope) => countsOf(viewOf(scope)),
    holdsKey: (key, scope) => holdsKey(viewOf(scope), key),
    entitiesOf: (recordId, scope) => {
      const view = viewOf(scope)
      const docId = docIdInScope(view, recordId)
      return docId === undefined ? [] : significantEntities(view, docId)
    },
    entitiesNamed: (question, scope) => {
      const { nodes } = linkQuestion(viewOf(scope), question)
      return [...nodes.keys()].flatMap((node) => idAt(store.entityTable, node.entity) ?? [])
    },
    namesIn: (question, scope) => identifiedNames(viewOf(scope), question),
  } satisfies Partial<RecordGraph>
}

function createRanking({ viewOf, scratch, docIdInScope }: GraphInternals) {
  return {
    weighTerms: (question, scope) => weighTerms(viewOf(scope), question),
    weights: WEIGHTS,
    rank: (question, scope, limit, time, options) => {
      const view = viewOf(scope)
      const { scored, linked } = rankDocuments(view, scratch, question, limit, time, options)
      return scored.map(({ given, passages, ...record }) => ({
        ...toRanked(view, record, linked),
        ...(given && { given }),
        ...(passages && { passages }),
      }))
    },
    nameWeight: (question, scope) => questionNameWeight(viewOf(scope), question),
    nearest: (vector, scope, limit, time) => nearestRecords(viewOf(scope), scratch, vector, limit, time),
    toRanked: (question, scope, scored) => {
      const view = viewOf(scope)
      const linked = linkQuestion(view, question)
      return scored.flatMap(({ id, score }) => {
        const docId = docIdInScope(view, id)
        return docId === undefined ? [] : toRanked(view, { docId, score }, linked)
      })
    },
    occursIn: (time, scope) => occursIn(viewOf(scope), time),
    nearestTimes: (time, scope) => nearestTimes(viewOf(scope), time),
    rankLexical: (question, scope, limit) => {
      const view = viewOf(scope)
      return rankByWords(view, scratch, question, limit).map((record) => toRanked(view, record, undefined))
    },
    rankPinned: (question, scope, tuples, limit) => {
      const view = viewOf(scope)
      const { lists, linked } = rankTuples(view, scratch, question, tuples, limit)
      return lists.map((list) =>
        list.map(({ passages, ...record }) => ({ ...toRanked(view, record, linked), ...(passages && { passages }) })),
      )
    },
  } satisfies Partial<RecordGraph>
}

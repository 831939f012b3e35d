import type { Question, TermWeights } from '../understand/analyse-question.ts'
import type { NameFound } from '../understand/broad.ts'
import type { TimeSpan } from '../understand/time-span.ts'
import type { AskedTimes } from '../understand/times-asked.ts'
import { createScratch, scratchBytes, weighTerms } from './bm25.ts'
import { type GraphEntity, ownersOf, putEntity, removeEntity } from './entities.ts'
import { becomeImage, fromImage, toImage } from './graph-image.ts'
import { countIds, type IdTable, idAt } from './id-table.ts'
import type { GraphImage } from './image.ts'
import { linkQuestion, namesFound } from './linking.ts'
import { edgesOf, isSurelyHeld } from './links.ts'
import {
  countDeclaring,
  countRecords,
  holdsKey,
  type ListedRecord,
  listRecords,
  nodeOf,
  placesOf,
  type RecordFilter,
  type RecordsOfTypes,
  recordsOfTypes,
  standsFor,
  typesIn,
} from './lookups.ts'
import { orderedBy } from './ordered-by.ts'
import { overviewOf, type ScopeOverview } from './overview.ts'
import { rankTuples } from './pinned.ts'
import { findList } from './postings.ts'
import {
  questionReach,
  type RankedRecord,
  type RankOptions,
  rankByWords,
  rankPlaces,
  tellingEntities,
  toRanked,
} from './rank-places.ts'
import { countHeld, findRecord, recordIdAt } from './record-places.ts'
import { findByKey, type GraphRecord, placesLeft, putRecord, recordsUpTo, removeRecord } from './records.ts'
import { saidWith } from './said-with.ts'
import { countsOf, countTerm } from './scope-counts.ts'
import { type CountsOf, createViews, type Scope, type ScopeView, sees } from './scope-view.ts'
import { shareStore } from './share-store.ts'
import { createStore, type GraphStore, storeBytes, type Ties } from './store.ts'
import { occursIn, timesBeside } from './time-weight.ts'
import { type HeldVectors, type NearRecord, nearestRecords, vectorsIn } from './vectors.ts'
import { WEIGHTS, type Weights } from './weights.ts'

/** The in-memory read index of one sandbox: records, entities, and the keys that join them. */
export interface RecordGraph extends HeldVectors {
  /** Adds a record in place of any other of its id; an analysis of another version is a RangeError. */
  putRecord(record: GraphRecord): void
  removeRecord(id: string): void
  putEntity(entity: GraphEntity): void
  removeEntity(id: string): void
  readonly recordCount: number
  readonly entityCount: number
  /** The ids of the records and their numbers, for tables by record; only the graph changes it. */
  readonly recordTable: IdTable
  /** The ids of the entities and their places, for tables by entity; only the graph changes it. */
  readonly entityTable: IdTable
  /** How many records are in scope. */
  countRecords(scope: Scope | null): number
  /** Records, and passages of long ones, that there is place for: one more is a GraphFull. */
  readonly placesLeft: number
  /** Bytes held, estimated. */
  readonly bytes: number
  /** What can be kept of it and read again; its arrays are the graph's own, as they are until the graph changes. */
  toImage(): GraphImage
  /** Makes it what an image says; what earlier questions worked out stays where it still holds. */
  become(image: GraphImage): void
  /** Puts its arrays where threads can share them, one at each step, between which it may change. */
  share(): Iterator<void>
  /** Bytes of its working arrays and of what earlier questions worked out, estimated. */
  readonly workingBytes: number
  /** Gives up what only the next question of the same kind would be spared. */
  rest(): void
  hasRecord(id: string, scope: Scope | null): boolean
  /** The id of the record under a hash of its source and external id. */
  recordWithKey(externalKey: number): string | undefined
  /** What is in scope, in numbers. */
  overview(scope: Scope | null): ScopeOverview
  /** The types of the records in scope. */
  typesIn(scope: Scope | null): ReadonlySet<string>
  /** The records in scope that are of one of the types. */
  recordsOfTypes(types: ReadonlySet<string>, scope: Scope | null): RecordsOfTypes
  /** The first `limit` of these records in scope after one of them, the latest first. */
  list(filter: RecordFilter, scope: Scope | null, after: ListedRecord | undefined, limit: number): ListedRecord[]
  /** Ids of the entities that own a key, sorted. */
  entitiesWithKey(key: number): string[]
  /** How many records in scope declare a key. */
  countDeclaring(key: number, scope: Scope | null): number
  /** The most relevant first; with a time, what occurred in it before what fits as well but did not. */
  rank(question: Question, scope: Scope | null, limit: number, time?: AskedTimes, options?: RankOptions): RankedRecord[]
  /** What each term of a question counts in scope. */
  weighTerms(question: Question, scope: Scope | null): TermWeights
  /** What each signal counts where `rank` is given nothing else. */
  readonly weights: Weights
  /** The commit of the version that a record has; undefined for a record that is not there. */
  seqOf(recordId: string): number | undefined
  /** Ids of up to `limit` records whose version is of this commit or of one before. */
  recordsUpTo(seq: number, limit: number): string[]
  /** As `nearestRecords` says. */
  nearest(vector: Int8Array, scope: Scope | null, limit: number, time?: AskedTimes): NearRecord[]
  /**
   * From 0 to 1: how far the names of a question lead to its answer. Where they lead far, the order of the graph counts
   * more than that of the vectors.
   */
  nameReach(question: Question, scope: Scope | null): number
  /** Those of these records that are in scope, as `rank` gives them, with these scores. */
  toRanked(question: Question, scope: Scope | null, scored: readonly { id: string; score: number }[]): RankedRecord[]
  /** Whether any record in scope occurred in the time; and how they lie beside one in which none did. */
  occursIn(time: TimeSpan, scope: Scope | null): boolean
  timesBeside(time: TimeSpan, scope: Scope | null): ReturnType<typeof timesBeside>
  /** By words alone: what the benchmark compares with. */
  rankLexical(question: Question, scope: Scope | null, limit: number): RankedRecord[]
  /**
   * For each tuple of ids the records that it names, else those that hold all of its entities, then those that hold
   * most; scored by the question.
   */
  rankPinned(question: Question, scope: Scope | null, tuples: readonly string[][], limit: number): RankedRecord[][]
  /** Whether a record in scope holds an entity. */
  knows(entityId: string, scope: Scope | null): boolean
  /** The entity in scope that one which is only mentioned is, where one alone has its name; any other is itself. */
  standsFor(entityId: string, scope: Scope | null): string
  /** Records in scope that hold an entity, its own first, then by how often they name it. */
  recordsOf(entityId: string, scope: Scope | null, limit: number): string[]
  countRecordsOf(entityId: string, scope: Scope | null): number
  /** As `saidWith` says. */
  saidWith(recordId: string, scope: Scope | null, limit: number): string[]
  /** In how many records in scope a term stands. */
  degreeOf(term: number, scope: Scope | null): number
  /** What a ranking counts over a scope, for as long as the graph does not change. */
  readonly counts: CountsOf
  /** Whether a record in scope mentions or declares a key. */
  holdsKey(key: number, scope: Scope | null): boolean
  /** Entities that a record in scope holds, the most telling first. */
  entitiesOf(recordId: string, scope: Scope | null): string[]
  /** Entities that the question names in scope. */
  entitiesNamed(question: Question, scope: Scope | null): string[]
  /** What of the question's words leads by a name to entities in scope, in the order in which it stands there. */
  namesIn(question: Question, scope: Scope | null): NameFound[]
  /** The same graph for one who can show ties, which were put into it hidden. */
  ordered(ties: Ties): RecordGraph
}

/** Bytes of a thing that a view remembers, roughly. */
const BYTES_PER_REMEMBERED = 64
/** Bytes of a record in the tables around the graph. */
const BYTES_PER_RECORD = 8
/** Bytes of an entity in the tables around the graph. */
const BYTES_PER_ENTITY = 16
/** Bytes of the objects that every graph has, however small. */
const BYTES_PER_GRAPH = 28 * 2 ** 10

/** What the parts of a graph share. */
interface Inside {
  store: GraphStore
  viewOf: (scope: Scope | null) => ScopeView
  scratch: ReturnType<typeof createScratch>
  /** The place of a record that the view sees. */
  placeInScope: (view: ScopeView, recordId: string) => number | undefined
}

/** An empty graph, or an image's; RangeError on one not whole. `given` counts where it holds some records alone. */
export function createRecordGraph(image?: GraphImage, given?: CountsOf): RecordGraph {
  const store = image ? fromImage(image) : createStore()
  const views = createViews(store, given)
  const scratch = createScratch()
  const placeInScope = (view: ScopeView, recordId: string): number | undefined => {
    const place = findRecord(store, recordId)
    return place !== undefined && sees(view, place) ? place : undefined
  }
  const inside: Inside = { store, viewOf: views.of, scratch, placeInScope }
  const graph: RecordGraph = {
    ...lookupsIn(inside),
    ...rankingIn(inside),
    ...vectorsIn(store, views.of),
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
      return countHeld(store)
    },
    get entityCount() {
      return countIds(store.entityTable)
    },
    get placesLeft() {
      return placesLeft(store)
    },
    get bytes() {
      const around = BYTES_PER_RECORD * countHeld(store) + BYTES_PER_ENTITY * countIds(store.entityTable)
      return storeBytes(store) + BYTES_PER_GRAPH + around + graph.workingBytes
    },
    get workingBytes() {
      return scratchBytes(scratch) + BYTES_PER_REMEMBERED * views.remembered()
    },
    become: (next) => becomeImage(store, next),
    share: () => shareStore(store),
    toImage: () => toImage(store),
    rest: () => {
      views.clear()
      Object.assign(scratch, createScratch())
      store.unitSums = new Float64Array(0)
      store.orders.clear()
    },
    seqOf: (recordId) => {
      const place = findRecord(store, recordId)
      return place === undefined ? undefined : store.recordSeqs[place]
    },
    recordsUpTo: (seq, limit) => recordsUpTo(store, seq, limit),
    ordered: (ties) => orderedBy(graph, store, ties),
  }
  return graph
}

function lookupsIn({ store, viewOf, scratch, placeInScope }: Inside) {
  return {
    countRecords: (scope) => viewOf(scope).records,
    hasRecord: (id, scope) => placeInScope(viewOf(scope), id) !== undefined,
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
    standsFor: (entityId, scope) => standsFor(viewOf(scope), entityId),
    knows: (entityId, scope) => {
      const view = viewOf(scope)
      const node = nodeOf(view, entityId)
      return node !== undefined && (isSurelyHeld(view, node) || placesOf(view, scratch, entityId, 1).length > 0)
    },
    recordsOf: (entityId, scope, limit) =>
      placesOf(viewOf(scope), scratch, entityId, limit).map(({ place }) => recordIdAt(store, place)),
    countRecordsOf: (entityId, scope) => {
      const view = viewOf(scope)
      const node = nodeOf(view, entityId)
      return node === undefined ? 0 : countRecords(store, edgesOf(view, node).places)
    },
    saidWith: (recordId, scope, limit) => saidWith(viewOf(scope), recordId, limit),
    degreeOf: (term, scope) => countTerm(viewOf(scope), term),
    counts: (scope) => countsOf(viewOf(scope)),
    holdsKey: (key, scope) => holdsKey(viewOf(scope), key),
    entitiesOf: (recordId, scope) => {
      const view = viewOf(scope)
      const place = placeInScope(view, recordId)
      return place === undefined ? [] : tellingEntities(view, place)
    },
    entitiesNamed: (question, scope) => {
      const { nodes } = linkQuestion(viewOf(scope), question)
      return [...nodes.keys()].flatMap((node) => idAt(store.entityTable, node.entity) ?? [])
    },
    namesIn: (question, scope) => namesFound(viewOf(scope), question),
  } satisfies Partial<RecordGraph>
}

function rankingIn({ viewOf, scratch, placeInScope }: Inside) {
  return {
    weighTerms: (question, scope) => weighTerms(viewOf(scope), question),
    weights: WEIGHTS,
    rank: (question, scope, limit, time, options) => {
      const view = viewOf(scope)
      const { scored, linked } = rankPlaces(view, scratch, question, limit, time, options)
      return scored.map(({ given, passages, ...record }) => ({
        ...toRanked(view, record, linked),
        ...(given && { given }),
        ...(passages && { passages }),
      }))
    },
    nameReach: (question, scope) => questionReach(viewOf(scope), question),
    nearest: (vector, scope, limit, time) => nearestRecords(viewOf(scope), scratch, vector, limit, time),
    toRanked: (question, scope, scored) => {
      const view = viewOf(scope)
      const linked = linkQuestion(view, question)
      return scored.flatMap(({ id, score }) => {
        const place = placeInScope(view, id)
        return place === undefined ? [] : toRanked(view, { place, score }, linked)
      })
    },
    occursIn: (time, scope) => occursIn(viewOf(scope), time),
    timesBeside: (time, scope) => timesBeside(viewOf(scope), time),
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

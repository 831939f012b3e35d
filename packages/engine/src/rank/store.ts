import { type EntryKind, KEY_FLAG } from '../text/analysis-codec.ts'
import { createIdTable, type IdTable, idTableBytes } from './id-table.ts'
import { allocateRun, createRuns, RUN_WORDS_MAX, type Runs, readRun, runsBytes, withCapacity } from './number-tables.ts'
import { createPostings, openList, type Postings, postingsBytes } from './postings.ts'

/** Records of one project, source and type. A scope includes or excludes them as a whole. */
export interface Part {
  projectId: string | null
  sourceId: string | null
  type: string
  /** Version of the graph when a record was last added to or removed from this part. */
  changed: number
  /** Number of its records. Each passage of a long one counts. */
  records: number
  /** Number of passages beyond the first one of each record. */
  passages: number
  /** Sum of the lengths of its records. */
  length: number
}

/** Returns the unique name of a part. */
export function namePart({ projectId, sourceId, type }: Pick<Part, 'projectId' | 'sourceId' | 'type'>): string {
  return JSON.stringify([projectId, sourceId, type])
}

/** Reveals keyed tie-breakers, which are stored as opaque numbers. */
export interface TieBreakers {
  reveal(docId: number, stored: number, recordId: () => string): number
  /** Called at the end of a ranking, so that revealed values can be cached. */
  keep(): void
}

/** All data of a graph, in tables by dense ordinal. An ordinal whose part is 0 is empty or removed. */
export interface GraphStore {
  /** Increases with every change. Caches of computed values compare it. */
  version: number
  /** Increases with every removal and sweep. While it is unchanged, posting lists only grow at the end. */
  withdrawals: number
  terms: Postings
  keys: Postings
  /** Records of each thread, channel or other conversation. */
  conversations: Postings
  /** Cached chronological orders of lists in `conversations`. */
  orders: Map<number, Order>
  runs: Runs
  vectors: VectorTables
  /** Record ids with their numbers. */
  recordTable: IdTable
  /** First document ordinal of each record, by record number. */
  recordFirsts: Uint32Array
  /** Ordinals of the further passages of a record, by its first ordinal. */
  passages: Map<number, readonly number[]>
  /** Record number of each ordinal, plus 1; 0 if it has none. */
  recordNumbers: Uint32Array
  /** Index of the passage within its record, from 0, by ordinal. */
  recordPassages: Uint16Array
  /** Commit number of the record's version. */
  recordSeqs: Float64Array
  recordParts: Uint32Array
  recordLengths: Uint32Array
  recordTies: Float64Array
  /** Reveals keyed tie-breakers; set only during a ranking. */
  keyedTieBreakers: TieBreakers | undefined
  /** Time of each record in milliseconds since the epoch; NaN if unknown. */
  recordTimes: Float64Array
  recordEntries: Uint32Array
  /** Address of the run with each record's terms; see `eachTerm`. */
  recordTerms: Uint32Array
  /**
   * Id of the list in `conversations` for each record's thread or channel, plus 1; 0 without one. `recordThreads` has
   * the list of the thread that the record may start.
   */
  recordConversations: Uint32Array
  recordThreads: Uint32Array
  /** Position among records with the same time. */
  recordPositions: Uint32Array
  /** Bits of TURN_FLAG. */
  recordTurns: Uint8Array
  /** Key of each record's author, plus 1; 0 if it has none. */
  recordAuthors: Uint32Array
  /** Number of document ordinals ever assigned, including the free ones. */
  docIdLimit: number
  parts: Part[]
  partOrdinals: Map<string, number>
  /** Version at the last change of any entity. */
  entitiesChanged: number
  entityTable: IdTable
  /** Bits of ENTITY_KIND. */
  entityKinds: Uint8Array
  /** Hash of the key under which the name may be declared, for an entity that is only mentioned; otherwise 0. */
  entityAliases: Float64Array
  entityKeys: Uint32Array
  /** Owner of each key: the ordinal of its only owner, plus 1; 0 for none; MANY_OWNERS if `manyOwners` lists them. */
  keyOwners: Uint32Array
  manyOwners: Postings
  /**
   * Posting list of each key's term. 0 means that the key is not a single word, 1 that the word has no term; otherwise
   * the value is the term's list + 2.
   */
  keyWords: Uint32Array
  freeDocIds: number[]
  /** Scratch by document ordinal, all zero between two uses. */
  unitSums: Float64Array
  /** Ordinals removed since the current sweep began. `sweep` has those whose postings are being removed. */
  withdrawn: number[]
  sweep: { docIds: number[]; lists: number } | undefined
}

/** Records of one conversation, earliest first. Removed records stay until the next sweep. */
export interface Order {
  docIds: Uint32Array
  /** Number of valid elements of `docIds`: the postings that have been sorted in. */
  length: number
}

/** Layout of an entry's half-word: kind, length in words, and distance from the previous entry. */
export const ENTRY_SHAPE = { lengthShift: 3, distanceShift: 7, bits: 16 } as const
const KIND_MASK = 7
const LENGTH_MASK = 15
const SHAPE_MASK = 2 ** ENTRY_SHAPE.bits - 1

export function createStore(): GraphStore {
  return {
    version: 0,
    withdrawals: 0,
    terms: createPostings(),
    keys: createPostings(),
    conversations: createPostings(),
    orders: new Map(),
    runs: createRuns(),
    vectors: { runs: undefined, addresses: new Uint32Array(0), rows: new Float64Array(0), count: 0 },
    recordTable: createIdTable(),
    recordFirsts: new Uint32Array(1),
    passages: new Map(),
    recordNumbers: new Uint32Array(1),
    recordPassages: new Uint16Array(1),
    recordSeqs: new Float64Array(1),
    recordParts: new Uint32Array(1),
    recordLengths: new Uint32Array(1),
    recordTies: new Float64Array(1),
    keyedTieBreakers: undefined,
    recordTimes: new Float64Array(1),
    recordEntries: new Uint32Array(1),
    recordTerms: new Uint32Array(1),
    recordConversations: new Uint32Array(1),
    recordThreads: new Uint32Array(1),
    recordPositions: new Uint32Array(1),
    recordTurns: new Uint8Array(1),
    recordAuthors: new Uint32Array(1),
    docIdLimit: 0,
    parts: [{ projectId: null, sourceId: null, type: '', changed: 0, records: 0, passages: 0, length: 0 }],
    partOrdinals: new Map(),
    entitiesChanged: 0,
    entityTable: createIdTable(),
    entityKinds: new Uint8Array(1),
    entityAliases: new Float64Array(1),
    entityKeys: new Uint32Array(1),
    keyOwners: new Uint32Array(1),
    manyOwners: createPostings(),
    keyWords: new Uint32Array(1),
    freeDocIds: [],
    unitSums: new Float64Array(0),
    withdrawn: [],
    sweep: undefined,
  }
}
/** Calls `visit` with the entries of a record in order. */
export function eachEntry(
  store: GraphStore,
  docId: number,
  visit: (key: number, kind: EntryKind, distance: number, length: number) => void,
): void {
  const address = store.recordEntries[docId]!
  if (address === 0) return
  const { page, at, length } = readRun(store.runs, address)
  const count = Math.floor((length * 2) / 3)
  for (let entry = 0; entry < count; entry += 1) {
    const shape = (page[at + count + (entry >>> 1)]! >>> (entry & 1 ? ENTRY_SHAPE.bits : 0)) & SHAPE_MASK
    visit(
      page[at + entry]!,
      (shape & KIND_MASK) as EntryKind,
      shape >>> ENTRY_SHAPE.distanceShift,
      (shape >>> ENTRY_SHAPE.lengthShift) & LENGTH_MASK,
    )
  }
}

/** Number of low bits of a word in a term run that are the frequency. The bits above are the list id. */
const TERM_SHIFT = 7
const TERM_FREQUENCY = 2 ** TERM_SHIFT - 1
/** Number of list ids that fit in a word. */
const TERM_LISTS_MAX = 2 ** (32 - TERM_SHIFT)

/** Stores a record's terms in a run, as many as fit. `flags` are the flags of the postings, in the same order. */
export function storeTerms(store: GraphStore, docId: number, lists: readonly number[], flags: readonly number[]): void {
  const words: number[] = []
  for (const [at, list] of lists.entries()) {
    if (list < TERM_LISTS_MAX) words.push(list * 2 ** TERM_SHIFT + (flags[at]! & TERM_FREQUENCY))
  }
  const run = allocateRun(store.runs, Math.min(words.length, RUN_WORDS_MAX))
  run.page.set(words.slice(0, RUN_WORDS_MAX), run.at)
  store.recordTerms[docId] = run.address
}

/** Calls `visit` with a record's first `limit` terms, in the order of their first occurrence. */
export function eachTerm(
  store: GraphStore,
  docId: number,
  limit: number,
  visit: (list: number, frequency: number, position: number) => void,
): void {
  const address = store.recordTerms[docId]!
  if (address === 0) return
  const { page, at, length } = readRun(store.runs, address)
  const end = at + Math.min(length, limit)
  for (let word = at; word < end; word += 1) visit(page[word]! >>> TERM_SHIFT, page[word]! & TERM_FREQUENCY, word - at)
}

/** Returns the lists of a record's first `limit` terms, in the order of their first occurrence. */
export function termLists(store: GraphStore, docId: number, limit: number): Uint32Array {
  const address = store.recordTerms[docId]!
  if (address === 0) return new Uint32Array(0)
  const { page, at, length } = readRun(store.runs, address)
  const lists = page.slice(at, at + Math.min(length, limit))
  for (let term = 0; term < lists.length; term += 1) lists[term]! >>>= TERM_SHIFT
  return lists
}

/** Calls `visit` like `eachTerm`, but only for lists with a nonzero mark, and passes the mark in place of the list. */
export function eachMarked(
  store: GraphStore,
  docId: number,
  limit: number,
  marks: Uint16Array,
  visit: (mark: number, frequency: number, position: number) => void,
): void {
  eachTerm(store, docId, limit, (list, frequency, position) => {
    const mark = marks[list]!
    if (mark !== 0) visit(mark, frequency, position)
  })
}

/** Returns the list of a key. Creates it if there is none and grows the tables by key. */
export function getOrCreateKey(store: GraphStore, hash: number): number {
  const key = openList(store.keys, hash)
  if (key >= store.keyOwners.length) {
    store.keyOwners = withCapacity(store.keyOwners, key + 1)
    store.keyWords = withCapacity(store.keyWords, key + 1)
  }
  return key
}

/** Bytes per record in cached orders. A record is in at most two: its thread and its channel. */
const ORDER_BYTES = 8

/** Returns the size of the tables in bytes. */
export function storeBytes(store: GraphStore): number {
  let bytes = postingsBytes(store.terms) + postingsBytes(store.keys) + postingsBytes(store.conversations)
  bytes +=
    runsBytes(store.runs) +
    vectorBytes(store.vectors) +
    idTableBytes(store.recordTable) +
    idTableBytes(store.entityTable) +
    postingsBytes(store.manyOwners)
  if (store.orders.size > 0) bytes += ORDER_BYTES * store.docIdLimit
  for (const table of Object.values(store)) if (ArrayBuffer.isView(table)) bytes += table.byteLength
  return bytes
}

/** Bits of a key posting that count its mentions. */
export const COUNT_BITS = KEY_FLAG.nameLike - 1

/** Binary codes of vectors, by document ordinal. No memory is allocated before the first one. */
interface VectorTables {
  runs: Runs | undefined
  /** Address of the run that has the codes of the record, one for each vector; 0 if it has none. */
  addresses: Uint32Array
  /** Storage row of the record's vectors + 1, by ordinal; 0 if it has none. */
  rows: Float64Array
  /** Number of records with a row. */
  count: number
}

function vectorBytes({ runs, addresses, rows }: VectorTables): number {
  return (runs ? runsBytes(runs) : 0) + addresses.byteLength + rows.byteLength
}

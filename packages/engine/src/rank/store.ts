import { type EntryKind, KEY_FLAG } from '../text/analysis-codec.ts'
import { createIdTable, type IdTable, idTableBytes } from './id-table.ts'
import { createRuns, RUN_WORDS_MAX, type Runs, readRun, runsBytes, takeRun, withRoom } from './number-tables.ts'
import { createPostings, openList, type Postings, postingsBytes } from './postings.ts'

/** Records of one source, project and type: what a scope includes or leaves out as a whole. */
export interface Part {
  projectId: string | null
  sourceId: string | null
  type: string
  /** The version of the graph at which a record was last added to this part or removed from it. */
  changed: number
  /** Its records, each passage of a long one counted, as they are ranked. */
  records: number
  /** Those of them that are further passages of a record counted already. */
  passages: number
  /** Lengths of its records together. */
  length: number
}

/** What tells a part from every other. */
export function namePart({ projectId, sourceId, type }: Pick<Part, 'projectId' | 'sourceId' | 'type'>): string {
  return JSON.stringify([projectId, sourceId, type])
}

/** Shows the ties of records that are kept as numbers that say nothing. */
export interface Ties {
  show(place: number, hidden: number, recordId: () => string): number
  /** Told when a ranking is done, in which many are shown. */
  keep(): void
}

/** Everything a graph holds, in tables by dense place; a place whose part is 0 is empty or withdrawn. */
export interface GraphStore {
  /** Rises with every change, so that what was computed from the tables knows when it is stale. */
  version: number
  /** Rises with every withdrawal and sweep; while it stays, lists only grow at their end. */
  withdrawals: number
  terms: Postings
  keys: Postings
  /** By thread, channel or other place, the records said there. */
  conversations: Postings
  /** Each list of `conversations` that was asked for, in order of time. */
  orders: Map<number, Order>
  runs: Runs
  vectors: VectorTables
  /** The ids of the records, each with a number. */
  recordTable: IdTable
  /** By a record's number its place, which its first passage has when it is read in passages. */
  recordFirsts: Uint32Array
  /** By the place of a record that is read in passages, the places of the others. */
  passages: Map<number, readonly number[]>
  /** By place the number of its record + 1, or 0. */
  recordNumbers: Uint32Array
  /** By place, which passage of its record it is, from 0. */
  recordPassages: Uint16Array
  /** Which version of the record it is. */
  recordSeqs: Float64Array
  recordParts: Uint32Array
  recordLengths: Uint32Array
  recordTies: Float64Array
  /** Shows hidden ties, while one who can is ranking. */
  hiddenTies: Ties | undefined
  /** When each record occurred, in milliseconds; NaN when it does not say. */
  recordTimes: Float64Array
  recordEntries: Uint32Array
  /** The run of each record's terms; see `eachTerm`. */
  recordTerms: Uint32Array
  /** The list in `conversations` of each record's thread or place + 1, or 0; and that of the thread it may begin. */
  recordConversations: Uint32Array
  recordThreads: Uint32Array
  /** Order among those of one time. */
  recordPositions: Uint32Array
  /** Bits of TURN_FLAG. */
  recordTurns: Uint8Array
  /** The key that joins each record to its author + 1, or 0. */
  recordAuthors: Uint32Array
  recordReach: number
  parts: Part[]
  partPlaces: Map<string, number>
  /** The version at which an entity came, changed or went last. */
  entitiesChanged: number
  entityTable: IdTable
  /** Bits of ENTITY_KIND. */
  entityKinds: Uint8Array
  /** Of one that is only mentioned the hash of the key under which its name may be declared, else 0. */
  entityAliases: Float64Array
  entityKeys: Uint32Array
  /** By key: the only owner's place + 1, 0 for none, or MANY when `manyOwners` lists them. */
  keyOwners: Uint32Array
  manyOwners: Postings
  /** By key: 0 for no single word, 1 for one without a term, else its term's list + 2. */
  keyWords: Uint32Array
  freePlaces: number[]
  /** Scratch by record place, all zero between two uses. */
  unitSums: Float64Array
  /** Withdrawn since the running sweep began, and those whose postings it is removing. */
  withdrawn: number[]
  sweep: { places: number[]; lists: number } | undefined
}

/** Records of one conversation, the earliest first; withdrawn ones stay until the next sweep. */
export interface Order {
  places: Uint32Array
  /** How many of `places` count, all postings of the list having been taken up. */
  length: number
}

/** An entry's second half-word: its kind, its length in words and its distance from the entry before. */
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
    vectors: createVectorTables(),
    recordTable: createIdTable(),
    recordFirsts: new Uint32Array(1),
    passages: new Map(),
    recordNumbers: new Uint32Array(1),
    recordPassages: new Uint16Array(1),
    recordSeqs: new Float64Array(1),
    recordParts: new Uint32Array(1),
    recordLengths: new Uint32Array(1),
    recordTies: new Float64Array(1),
    hiddenTies: undefined,
    recordTimes: new Float64Array(1),
    recordEntries: new Uint32Array(1),
    recordTerms: new Uint32Array(1),
    recordConversations: new Uint32Array(1),
    recordThreads: new Uint32Array(1),
    recordPositions: new Uint32Array(1),
    recordTurns: new Uint8Array(1),
    recordAuthors: new Uint32Array(1),
    recordReach: 0,
    parts: [{ projectId: null, sourceId: null, type: '', changed: 0, records: 0, passages: 0, length: 0 }],
    partPlaces: new Map(),
    entitiesChanged: 0,
    entityTable: createIdTable(),
    entityKinds: new Uint8Array(1),
    entityAliases: new Float64Array(1),
    entityKeys: new Uint32Array(1),
    keyOwners: new Uint32Array(1),
    manyOwners: createPostings(),
    keyWords: new Uint32Array(1),
    freePlaces: [],
    unitSums: new Float64Array(0),
    withdrawn: [],
    sweep: undefined,
  }
}
/** Calls `visit` with the entries of a record in order. */
export function eachEntry(
  store: GraphStore,
  place: number,
  visit: (key: number, kind: EntryKind, distance: number, length: number) => void,
): void {
  const address = store.recordEntries[place]!
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

/** Bits of a word in a run of terms that are the frequency; the list stands above them. */
const TERM_SHIFT = 7
const TERM_FREQUENCY = 2 ** TERM_SHIFT - 1
/** Lists that a word has room for. */
const TERM_LISTS_MAX = 2 ** (32 - TERM_SHIFT)

/** Keeps a record's terms, as far as a run holds them; `flags` are those of its postings, in the same order. */
export function keepTerms(store: GraphStore, place: number, lists: readonly number[], flags: readonly number[]): void {
  const words: number[] = []
  for (const [at, list] of lists.entries()) {
    if (list < TERM_LISTS_MAX) words.push(list * 2 ** TERM_SHIFT + (flags[at]! & TERM_FREQUENCY))
  }
  const run = takeRun(store.runs, Math.min(words.length, RUN_WORDS_MAX))
  run.page.set(words.slice(0, RUN_WORDS_MAX), run.at)
  store.recordTerms[place] = run.address
}

/** Calls `visit` with a record's first `limit` terms, in the order in which they first stand there. */
export function eachTerm(
  store: GraphStore,
  place: number,
  limit: number,
  visit: (list: number, frequency: number, position: number) => void,
): void {
  const address = store.recordTerms[place]!
  if (address === 0) return
  const { page, at, length } = readRun(store.runs, address)
  const end = at + Math.min(length, limit)
  for (let word = at; word < end; word += 1) visit(page[word]! >>> TERM_SHIFT, page[word]! & TERM_FREQUENCY, word - at)
}

/** The lists of a record's first `limit` terms, in the order in which they first stand there. */
export function termLists(store: GraphStore, place: number, limit: number): Uint32Array {
  const address = store.recordTerms[place]!
  if (address === 0) return new Uint32Array(0)
  const { page, at, length } = readRun(store.runs, address)
  const lists = page.slice(at, at + Math.min(length, limit))
  for (let term = 0; term < lists.length; term += 1) lists[term]! >>>= TERM_SHIFT
  return lists
}

/** Calls `visit` as `eachTerm` does, with the mark of its list in place of the list, for each term that has one. */
export function eachMarked(
  store: GraphStore,
  place: number,
  limit: number,
  marks: Uint16Array,
  visit: (mark: number, frequency: number, position: number) => void,
): void {
  eachTerm(store, place, limit, (list, frequency, position) => {
    const mark = marks[list]!
    if (mark !== 0) visit(mark, frequency, position)
  })
}

/** The list of a key, made now when it has none, with room in the tables by key. */
export function openKey(store: GraphStore, hash: number): number {
  const key = openList(store.keys, hash)
  if (key >= store.keyOwners.length) {
    store.keyOwners = withRoom(store.keyOwners, key + 1)
    store.keyWords = withRoom(store.keyWords, key + 1)
  }
  return key
}

/** A record stands in at most two orders, of its thread and of the place where it was said. */
const ORDER_BYTES = 8

/** Bytes that the tables take. */
export function storeBytes(store: GraphStore): number {
  let bytes = postingsBytes(store.terms) + postingsBytes(store.keys) + postingsBytes(store.conversations)
  bytes +=
    runsBytes(store.runs) +
    vectorBytes(store.vectors) +
    idTableBytes(store.recordTable) +
    idTableBytes(store.entityTable) +
    postingsBytes(store.manyOwners)
  if (store.orders.size > 0) bytes += ORDER_BYTES * store.recordReach
  for (const table of Object.values(store)) if (ArrayBuffer.isView(table)) bytes += table.byteLength
  return bytes
}

/** Bits of a key posting that count its mentions. */
export const COUNT_BITS = KEY_FLAG.nameLike - 1

/** The signs of vectors by the record's place; nothing takes memory before the first of them comes. */
interface VectorTables {
  runs: Runs | undefined
  /** The run of the codes of each record, one after the other, or 0. */
  addresses: Uint32Array
  /** By a record's place, where its vectors are stored + 1; 0 for a record without. */
  rows: Float64Array
  /** Records that have some. */
  count: number
}

/** Tables without vectors. */
function createVectorTables(): VectorTables {
  return { runs: undefined, addresses: new Uint32Array(0), rows: new Float64Array(0), count: 0 }
}

/** Bytes that the tables take. */
function vectorBytes({ runs, addresses, rows }: VectorTables): number {
  return (runs ? runsBytes(runs) : 0) + addresses.byteLength + rows.byteLength
}

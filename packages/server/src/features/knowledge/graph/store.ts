import { type EntryKind, KEY_FLAG } from '../analyser/analysis-codec.ts'
import { type AnalysisSink, readAnalysis } from './analysis-reader.ts'
import { withRoom } from './key-index.ts'
import {
  appendPosting,
  closeList,
  createPostings,
  filterList,
  openList,
  POSTING_SHIFT,
  type Postings,
  postingsBytes,
  RECORDS_MAX,
} from './postings.ts'
import { createRuns, freeRun, RUN_WORDS_MAX, type Runs, readRun, runsBytes, takeRun } from './runs.ts'

/** A record as the graph takes it. */
export interface GraphRecord {
  id: string
  sourceId: string | null
  projectId: string | null
  type: string
  occurredAtMs: number | null
  /** A hash of what is the same whenever the record is loaded again: the order of equal scores. */
  tie: number
  analysis: Uint8Array
}

/** An entity as the graph takes it: every key that leads to it, hashed. */
export interface GraphEntity {
  id: string
  type: string
  keys: number[]
}

/** Records of one source and project: what a scope includes or leaves out as a whole. */
export interface Part {
  projectId: string | null
  sourceId: string | null
  records: number
  /** Lengths of its records together. */
  length: number
}

/** Everything a graph holds, in tables by dense place; a place whose part is 0 is empty or withdrawn. */
export interface GraphStore {
  /** Rises with every change, so that what was computed from the tables knows when it is stale. */
  version: number
  /** Rises with every withdrawal and sweep; while it stays, lists only grow at their end. */
  withdrawals: number
  terms: Postings
  keys: Postings
  runs: Runs
  recordPlaces: Map<string, number>
  recordIds: string[]
  recordParts: Uint32Array
  recordLengths: Uint32Array
  recordTies: Float64Array
  recordEntries: Uint32Array
  recordReach: number
  parts: Part[]
  partPlaces: Map<string, number>
  entityPlaces: Map<string, number>
  entityIds: string[]
  entityIsPerson: Uint8Array
  entityKeys: Uint32Array
  freeEntities: number[]
  /** By key: the only owner's place + 1, 0 for none, or MANY when `manyOwners` lists them. */
  keyOwners: Uint32Array
  manyOwners: Map<number, number[]>
  /** By key: 0 for no single word, 1 for one without a term, else its term's list + 2. */
  keyWords: Uint32Array
  freePlaces: number[]
  /** Scratch by record place, all zero between two uses. */
  unitSums: Float64Array
  /** Withdrawn since the running sweep began, and those whose postings it is removing. */
  withdrawn: number[]
  sweep: { places: number[]; lists: number } | undefined
}

/** In `keyOwners`: several entities own the key. */
export const MANY = 2 ** 32 - 1

/** Withdrawn records that are not worth a sweep, and the share of the live ones that is. */
const WITHDRAWN_MIN = 256
const WITHDRAWN_SHARE = 1 / 8
/** Lists that each change cleans while a sweep runs, so that no single change pays for it. */
const LISTS_PER_CHANGE = 256
/** Mentions at a greater distance never overlap; the distance fits in 9 bits. */
const DISTANCE_MAX = 511
const LENGTH_SHIFT = 3
const DISTANCE_SHIFT = 7
const META_BITS = 16
const META_MASK = 2 ** META_BITS - 1
/** Entries of one record: two words for each two and a half must fit in a run. */
const ENTRIES_MAX = Math.floor((RUN_WORDS_MAX * 2) / 3) - 1
const PERSON = 'person'

export function createStore(): GraphStore {
  return {
    version: 0,
    withdrawals: 0,
    terms: createPostings(),
    keys: createPostings(),
    runs: createRuns(),
    recordPlaces: new Map(),
    recordIds: [],
    recordParts: new Uint32Array(1),
    recordLengths: new Uint32Array(1),
    recordTies: new Float64Array(1),
    recordEntries: new Uint32Array(1),
    recordReach: 0,
    parts: [{ projectId: null, sourceId: null, records: 0, length: 0 }],
    partPlaces: new Map(),
    entityPlaces: new Map(),
    entityIds: [],
    entityIsPerson: new Uint8Array(1),
    entityKeys: new Uint32Array(1),
    freeEntities: [],
    keyOwners: new Uint32Array(1),
    manyOwners: new Map(),
    keyWords: new Uint32Array(1),
    freePlaces: [],
    unitSums: new Float64Array(0),
    withdrawn: [],
    sweep: undefined,
  }
}

/** One mention or declaration of a stored record. */
export interface Entry {
  key: number
  kind: EntryKind
  /** Words since the entry before, at most DISTANCE_MAX; a declaration's weight. */
  distance: number
  length: number
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
    const meta = (page[at + count + (entry >>> 1)]! >>> (entry & 1 ? META_BITS : 0)) & META_MASK
    visit(page[at + entry]!, (meta & 7) as EntryKind, meta >>> DISTANCE_SHIFT, (meta >>> LENGTH_SHIFT) & 15)
  }
}

function partOf(store: GraphStore, record: GraphRecord): number {
  const name = JSON.stringify([record.projectId, record.sourceId])
  let place = store.partPlaces.get(name)
  if (place === undefined) {
    place = store.parts.length
    store.parts.push({ projectId: record.projectId, sourceId: record.sourceId, records: 0, length: 0 })
    store.partPlaces.set(name, place)
  }
  return place
}

function takePlace(store: GraphStore): number {
  const place = store.freePlaces.pop() ?? store.recordReach
  if (place < store.recordReach) return place
  if (place >= RECORDS_MAX) throw new RangeError(`A graph holds at most ${RECORDS_MAX} records`)
  store.recordReach += 1
  store.recordParts = withRoom(store.recordParts, place + 1)
  store.recordLengths = withRoom(store.recordLengths, place + 1)
  store.recordTies = withRoom(store.recordTies, place + 1)
  store.recordEntries = withRoom(store.recordEntries, place + 1)
  return place
}

function openKey(store: GraphStore, hash: number): number {
  const key = openList(store.keys, hash)
  if (key >= store.keyOwners.length) {
    store.keyOwners = withRoom(store.keyOwners, key + 1)
    store.keyWords = withRoom(store.keyWords, key + 1)
  }
  return key
}

/** Reads a record's analysis into the lists; the places of its terms and keys are kept while it does. */
function createIndexer(store: GraphStore, place: number): AnalysisSink {
  const tag = place * 2 ** POSTING_SHIFT
  const terms: number[] = []
  const keys: number[] = []
  let page: Uint32Array = store.keyWords
  let at = 0
  let count = 0
  let written = 0
  let before = 0
  return {
    length: (length) => {
      store.recordLengths[place] = length
    },
    term: (hash, flags) => {
      const list = openList(store.terms, hash)
      terms.push(list)
      appendPosting(store.terms, list, tag + flags)
    },
    key: (hash, flags, wordTerm) => {
      const key = openKey(store, hash)
      keys.push(key)
      if (wordTerm > 0) store.keyWords[key] = terms[wordTerm - 1]! + 2
      appendPosting(store.keys, key, tag + flags)
    },
    entries: (entries) => {
      count = Math.min(entries, ENTRIES_MAX)
      const run = takeRun(store.runs, count + Math.ceil(count / 2))
      store.recordEntries[place] = run.address
      page = run.page
      at = run.at
      page.fill(0, at + count, at + count + Math.ceil(count / 2))
    },
    entry: (position, kind, wordAt, length) => {
      if (written >= count) return
      const key = keys[position]!
      const distance = length === 0 ? wordAt : wordAt - before
      if (length > 0) before = wordAt
      if (length === 1 && store.keyWords[key] === 0) store.keyWords[key] = 1
      const meta = kind | (length << LENGTH_SHIFT) | (Math.min(distance, DISTANCE_MAX) << DISTANCE_SHIFT)
      page[at + written] = key
      page[at + count + (written >>> 1)]! |= written & 1 ? meta << META_BITS : meta
      written += 1
    },
  }
}

/** Adds a record in place of any other of its id. */
export function putRecord(store: GraphStore, record: GraphRecord): void {
  removeRecord(store, record.id)
  const place = takePlace(store)
  readAnalysis(record.analysis, createIndexer(store, place))
  const part = partOf(store, record)
  store.recordPlaces.set(record.id, place)
  store.recordIds[place] = record.id
  store.recordTies[place] = record.tie
  store.recordParts[place] = part
  store.parts[part]!.records += 1
  store.parts[part]!.length += store.recordLengths[place]!
  store.version += 1
  sweepSome(store)
}

/** Withdraws a record; no answer shows it from here on, and its postings are removed in passing. */
export function removeRecord(store: GraphStore, id: string): void {
  const place = store.recordPlaces.get(id)
  if (place === undefined) return
  const part = store.parts[store.recordParts[place]!]!
  part.records -= 1
  part.length -= store.recordLengths[place]!
  store.recordParts[place] = 0
  store.recordIds[place] = ''
  store.recordPlaces.delete(id)
  freeRun(store.runs, store.recordEntries[place]!)
  store.recordEntries[place] = 0
  store.withdrawn.push(place)
  store.withdrawals += 1
  store.version += 1
  sweepSome(store)
}

function sweepList(store: GraphStore, postings: Postings, list: number): void {
  if (postings.counts[list] === 0) return
  const isEmpty = filterList(postings, list, (posting) => store.recordParts[posting >>> POSTING_SHIFT] !== 0)
  if (!isEmpty) return
  if (postings === store.keys) {
    if (store.keyOwners[list] !== 0) return
    store.keyWords[list] = 0
  }
  closeList(postings, list)
}

/** Removes the postings of withdrawn records from the next few lists; their places are free after the last list. */
function sweepSome(store: GraphStore): void {
  if (store.sweep === undefined) {
    const worth = Math.max(WITHDRAWN_MIN, store.recordPlaces.size * WITHDRAWN_SHARE)
    if (store.withdrawn.length < worth) return
    store.sweep = { places: store.withdrawn, lists: 0 }
    store.withdrawn = []
  }
  const { sweep } = store
  store.withdrawals += 1
  const termReach = store.terms.index.reach
  const reach = termReach + store.keys.index.reach
  const until = Math.min(reach, sweep.lists + LISTS_PER_CHANGE)
  for (; sweep.lists < until; sweep.lists += 1) {
    if (sweep.lists < termReach) sweepList(store, store.terms, sweep.lists)
    else sweepList(store, store.keys, sweep.lists - termReach)
  }
  if (sweep.lists < reach) return
  for (const place of sweep.places) store.freePlaces.push(place)
  store.sweep = undefined
}

function addOwner(store: GraphStore, key: number, entity: number): void {
  const owner = store.keyOwners[key]!
  if (owner === 0) store.keyOwners[key] = entity + 1
  else if (owner === MANY) store.manyOwners.get(key)!.push(entity)
  else {
    store.keyOwners[key] = MANY
    store.manyOwners.set(key, [owner - 1, entity])
  }
}

function removeOwner(store: GraphStore, key: number, entity: number): void {
  if (store.keyOwners[key] !== MANY) {
    store.keyOwners[key] = 0
    if (store.keys.counts[key] !== 0) return
    store.keyWords[key] = 0
    closeList(store.keys, key)
    return
  }
  const left = store.manyOwners.get(key)!.filter((owner) => owner !== entity)
  if (left.length > 1) store.manyOwners.set(key, left)
  else {
    store.manyOwners.delete(key)
    store.keyOwners[key] = left[0]! + 1
  }
}

/** The places of the entities that own a key. */
export function ownersOf(store: GraphStore, key: number): readonly number[] {
  const owner = store.keyOwners[key] ?? 0
  if (owner === 0) return []
  return owner === MANY ? store.manyOwners.get(key)! : [owner - 1]
}

/** Adds an entity in place of any other of its id. */
export function putEntity(store: GraphStore, entity: GraphEntity): void {
  removeEntity(store, entity.id)
  const place = store.freeEntities.pop() ?? store.entityIds.length
  store.entityIsPerson = withRoom(store.entityIsPerson, place + 1)
  store.entityKeys = withRoom(store.entityKeys, place + 1)
  store.entityIds[place] = entity.id
  store.entityIsPerson[place] = entity.type === PERSON ? 1 : 0
  const hashes = [...new Set(entity.keys)].sort((a, b) => a - b).slice(0, RUN_WORDS_MAX)
  const run = takeRun(store.runs, hashes.length)
  store.entityKeys[place] = run.address
  for (const [position, hash] of hashes.entries()) {
    const key = openKey(store, hash)
    run.page[run.at + position] = key
    addOwner(store, key, place)
  }
  store.entityPlaces.set(entity.id, place)
  store.version += 1
}

/** Withdraws an entity; its records stay. */
export function removeEntity(store: GraphStore, id: string): void {
  const place = store.entityPlaces.get(id)
  if (place === undefined) return
  for (const key of keysOf(store, place)) removeOwner(store, key, place)
  freeRun(store.runs, store.entityKeys[place]!)
  store.entityIds[place] = ''
  store.entityPlaces.delete(id)
  store.freeEntities.push(place)
  store.version += 1
}

/** The keys of an entity, in the order of their hashes. */
export function keysOf(store: GraphStore, entity: number): Uint32Array {
  const { page, at, length } = readRun(store.runs, store.entityKeys[entity]!)
  return page.slice(at, at + length)
}

/** Bytes that the tables take, without the ids' own strings. */
export function storeBytes(store: GraphStore): number {
  const { recordParts, recordLengths, recordTies, recordEntries, keyOwners, keyWords } = store
  return (
    postingsBytes(store.terms) +
    postingsBytes(store.keys) +
    runsBytes(store.runs) +
    recordParts.byteLength +
    recordLengths.byteLength +
    recordTies.byteLength +
    recordEntries.byteLength +
    keyOwners.byteLength +
    keyWords.byteLength
  )
}

/** Bits of a key posting that count its mentions. */
export const COUNT_BITS = KEY_FLAG.nameLike - 1

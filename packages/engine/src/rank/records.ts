import { type AnalysisSink, checkVersion, readAnalysis } from './analysis-reader.ts'
import { freeRun, RUN_WORDS_MAX, takeRun, withRoom } from './number-tables.ts'
import {
  appendPosting,
  closeList,
  eachStretch,
  filterList,
  findList,
  openList,
  POSTING_SHIFT,
  type Postings,
  RECORDS_MAX,
} from './postings.ts'
import {
  addRecordAt,
  countHeld,
  findRecord,
  isFirstPlace,
  placesOfRecord,
  recordIdAt,
  removeRecordFrom,
} from './record-places.ts'
import { ENTRY_SHAPE, type GraphStore, keepTerms, namePart, openKey } from './store.ts'
import { dropVectors } from './vectors.ts'

/** A record as the graph takes it. */
export interface GraphRecord {
  id: string
  /** Which version of the record it is: the number of its commit. */
  seq?: number
  sourceId: string | null
  projectId: string | null
  type: string
  /** Null when the record tells no time. */
  occurredAtMs: number | null
  /** A hash of what is the same whenever the record is loaded again: the order of equal scores. */
  tie: number
  /** 52-bit hash of source and external id, by which others say that they belong to its thread. */
  externalKey: number
  analysis: Uint8Array
}

/** Mentions at a greater distance never overlap; the distance fits in 9 bits. */
const DISTANCE_MAX = 511
/** Entries of one record: two words for each two and a half must fit in a run. */
const ENTRIES_MAX = Math.floor((RUN_WORDS_MAX * 2) / 3) - 1

function partOf(store: GraphStore, { projectId, sourceId, type }: GraphRecord): number {
  const name = namePart({ projectId, sourceId, type })
  let place = store.partPlaces.get(name)
  if (place === undefined) {
    place = store.parts.length
    store.parts.push({ projectId, sourceId, type, changed: 0, records: 0, passages: 0, length: 0 })
    store.partPlaces.set(name, place)
  }
  return place
}

/** A graph holds as many records, passages of long ones counted, as it can count. */
export class GraphFull extends RangeError {
  override name = 'GraphFull'
}

/** How many places are left for records and passages. */
export function placesLeft({ recordReach, freePlaces }: GraphStore): number {
  return RECORDS_MAX - recordReach + freePlaces.length
}

function takePlace(store: GraphStore): number {
  const place = store.freePlaces.pop() ?? store.recordReach
  if (place < store.recordReach) return place
  if (place >= RECORDS_MAX) throw new GraphFull(`A graph holds at most ${RECORDS_MAX} records`)
  store.recordReach += 1
  store.recordSeqs = withRoom(store.recordSeqs, place + 1)
  store.recordParts = withRoom(store.recordParts, place + 1)
  store.recordNumbers = withRoom(store.recordNumbers, place + 1)
  store.recordPassages = withRoom(store.recordPassages, place + 1)
  store.recordLengths = withRoom(store.recordLengths, place + 1)
  store.recordTies = withRoom(store.recordTies, place + 1)
  store.recordTimes = withRoom(store.recordTimes, place + 1)
  store.recordEntries = withRoom(store.recordEntries, place + 1)
  store.recordTerms = withRoom(store.recordTerms, place + 1)
  store.recordConversations = withRoom(store.recordConversations, place + 1)
  store.recordThreads = withRoom(store.recordThreads, place + 1)
  store.recordPositions = withRoom(store.recordPositions, place + 1)
  store.recordTurns = withRoom(store.recordTurns, place + 1)
  store.recordAuthors = withRoom(store.recordAuthors, place + 1)
  return place
}

/** Reads a record's analysis into the lists; the places of its terms and keys are kept while it does. */
function createIndexer(store: GraphStore, place: number): AnalysisSink {
  const tag = place * 2 ** POSTING_SHIFT
  const terms: number[] = []
  const termFlags: number[] = []
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
      termFlags.push(flags)
      appendPosting(store.terms, list, tag + flags)
    },
    key: (hash, flags, wordTerm) => {
      const key = openKey(store, hash)
      keys.push(key)
      if (wordTerm > 0) store.keyWords[key] = terms[wordTerm - 1]! + 2
      appendPosting(store.keys, key, tag + flags)
    },
    entries: (entries) => {
      keepTerms(store, place, terms, termFlags)
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
      const shape =
        kind | (length << ENTRY_SHAPE.lengthShift) | (Math.min(distance, DISTANCE_MAX) << ENTRY_SHAPE.distanceShift)
      page[at + written] = key
      page[at + count + (written >>> 1)]! |= written & 1 ? shape << ENTRY_SHAPE.bits : shape
      written += 1
    },
    turn: (conversation, flags, position, author) => {
      store.recordTurns[place] = flags
      store.recordPositions[place] = position
      store.recordAuthors[place] = author === 0 ? 0 : keys[author - 1]! + 1
      if (conversation === 0) return
      const list = openList(store.conversations, conversation)
      store.recordConversations[place] = list + 1
      appendPosting(store.conversations, list, tag)
    },
  }
}

/** A place for a record, or a passage of it, where nothing of another is left. */
function emptyPlace(store: GraphStore): number {
  const place = takePlace(store)
  store.recordConversations[place] = 0
  store.recordThreads[place] = 0
  store.recordTurns[place] = 0
  store.recordPositions[place] = 0
  store.recordAuthors[place] = 0
  store.recordPassages[place] = 0
  return place
}

/** Adds a record in place of any other of its id. */
export function putRecord(store: GraphStore, record: GraphRecord): void {
  checkVersion(record.analysis)
  removeRecord(store, record.id)
  const place = emptyPlace(store)
  const passages: number[] = []
  readAnalysis(record.analysis, createIndexer(store, place), () => {
    const passage = emptyPlace(store)
    store.recordPassages[passage] = passages.push(passage)
    return createIndexer(store, passage)
  })
  const thread = openList(store.conversations, record.externalKey)
  store.recordThreads[place] = thread + 1
  appendPosting(store.conversations, thread, place * 2 ** POSTING_SHIFT)
  const part = partOf(store, record)
  addRecordAt(store, record.id, [place, ...passages])
  if (passages.length > 0) store.passages.set(place, passages)
  for (const each of [place, ...passages]) {
    store.recordSeqs[each] = record.seq ?? 0
    store.recordTies[each] = record.tie
    store.recordTimes[each] = record.occurredAtMs ?? Number.NaN
    store.recordParts[each] = part
    store.parts[part]!.records += 1
    store.parts[part]!.length += store.recordLengths[each]!
  }
  store.parts[part]!.passages += passages.length
  store.version += 1
  store.parts[part]!.changed = store.version
  sweepSome(store)
}

/**
 * Withdraws a record. No answer shows it any more; this change and later ones remove its postings, a few lists each.
 */
export function removeRecord(store: GraphStore, id: string): void {
  const first = findRecord(store, id)
  if (first === undefined) return
  const places = placesOfRecord(store, first)
  dropVectors(store, first)
  for (const place of places) {
    const part = store.parts[store.recordParts[place]!]!
    part.records -= 1
    if (place !== first) part.passages -= 1
    part.length -= store.recordLengths[place]!
    part.changed = store.version + 1
    store.recordParts[place] = 0
    freeRun(store.runs, store.recordEntries[place]!)
    freeRun(store.runs, store.recordTerms[place]!)
    store.recordTerms[place] = 0
    store.recordEntries[place] = 0
    store.withdrawn.push(place)
  }
  removeRecordFrom(store, id, places)
  store.passages.delete(first)
  store.withdrawals += 1
  store.version += 1
  sweepSome(store)
}

/** The id of the record under a hash of its source and external id; it is the one that begins the thread of that. */
export function findByKey(store: GraphStore, externalKey: number): string | undefined {
  const thread = findList(store.conversations, externalKey)
  let found: number | undefined
  if (thread < 0) return undefined
  eachStretch(store.conversations, thread, (page, from, to) => {
    for (let at = from; at < to && found === undefined; at += 1) {
      const place = page[at]! >>> POSTING_SHIFT
      // A withdrawn record stays in its lists until they are swept.
      if (store.recordThreads[place] === thread + 1 && store.recordParts[place] !== 0) found = place
    }
  })
  return found === undefined ? undefined : recordIdAt(store, found)
}

/** Withdrawn records that are not worth a sweep, and the share of the live ones that is. */
const WITHDRAWN_MIN = 256
const WITHDRAWN_SHARE = 1 / 8
/** Lists that each change cleans while a sweep runs, so that no single change pays for it. */
const LISTS_PER_CHANGE = 256

function sweepList(store: GraphStore, postings: Postings, list: number): void {
  if (postings.counts[list] === 0) return
  if (postings === store.conversations) store.orders.delete(list)
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
    const worth = Math.max(WITHDRAWN_MIN, countHeld(store) * WITHDRAWN_SHARE)
    if (store.withdrawn.length < worth) return
    store.sweep = { places: store.withdrawn, lists: 0 }
    store.withdrawn = []
  }
  const { sweep } = store
  store.withdrawals += 1
  let left = LISTS_PER_CHANGE
  let before = 0
  for (const postings of [store.terms, store.keys, store.conversations]) {
    const { reach } = postings.index
    for (; left > 0 && sweep.lists < before + reach; sweep.lists += 1, left -= 1) {
      sweepList(store, postings, sweep.lists - before)
    }
    before += reach
  }
  if (sweep.lists < before) return
  for (const place of sweep.places) store.freePlaces.push(place)
  store.sweep = undefined
}

/** Ids of up to `limit` records whose version is of this commit or of one before. */
export function recordsUpTo(store: GraphStore, seq: number, limit: number): string[] {
  const ids: string[] = []
  for (let place = 0; place < store.recordReach && ids.length < limit; place += 1) {
    if (store.recordSeqs[place]! <= seq && isFirstPlace(store, place)) ids.push(recordIdAt(store, place))
  }
  return ids
}

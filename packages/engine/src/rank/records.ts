import { type AnalysisSink, checkVersion, readAnalysis } from './analysis-reader.ts'
import { allocateRun, freeRun, RUN_WORDS_MAX, withCapacity } from './number-tables.ts'
import {
  appendPosting,
  closeList,
  eachSegment,
  filterList,
  findList,
  openList,
  POSTING_SHIFT,
  type Postings,
  RECORDS_MAX,
} from './postings.ts'
import {
  addRecordAt,
  countStored,
  docIdsOfRecord,
  findRecord,
  isFirstDocId,
  recordIdAt,
  removeRecordFrom,
} from './record-doc-ids.ts'
import { ENTRY_SHAPE, type GraphStore, getOrCreateKey, namePart, storeTerms } from './store.ts'
import { dropVectors } from './vectors.ts'

export interface GraphRecord {
  id: string
  /** Commit number of the record's version. */
  seq?: number
  sourceId: string | null
  projectId: string | null
  type: string
  /** Time in milliseconds since the epoch; null if unknown. */
  occurredAtMs: number | null
  /** Tie-breaker: a hash that is the same each time the record is loaded. */
  tie: number
  /** 52-bit hash of source and external id. Replies refer to the thread of this record by it. */
  externalKey: number
  analysis: Uint8Array
}

/** Maximum stored distance between mentions, which fits in 9 bits. Mentions that are farther apart never overlap. */
const DISTANCE_MAX = 511
/** Maximum number of entries per record. An entry needs one and a half words, and all entries must fit in one run. */
const ENTRIES_MAX = Math.floor((RUN_WORDS_MAX * 2) / 3) - 1

function partOf(store: GraphStore, { projectId, sourceId, type }: GraphRecord): number {
  const name = namePart({ projectId, sourceId, type })
  let part = store.partOrdinals.get(name)
  if (part === undefined) {
    part = store.parts.length
    store.parts.push({ projectId, sourceId, type, changed: 0, records: 0, passages: 0, length: 0 })
    store.partOrdinals.set(name, part)
  }
  return part
}

/** Thrown if a graph has no document ordinals left for another record or passage. */
export class GraphFull extends RangeError {
  override name = 'GraphFull'
}

/** Returns the number of document ordinals that are left. */
export function remainingDocs({ docIdLimit, freeDocIds }: GraphStore): number {
  return RECORDS_MAX - docIdLimit + freeDocIds.length
}

function allocateDocId(store: GraphStore): number {
  const docId = store.freeDocIds.pop() ?? store.docIdLimit
  if (docId < store.docIdLimit) return docId
  if (docId >= RECORDS_MAX) {
    throw new GraphFull(`The index is full: it holds at most ${RECORDS_MAX} records and passages`)
  }
  store.docIdLimit += 1
  store.recordSeqs = withCapacity(store.recordSeqs, docId + 1)
  store.recordParts = withCapacity(store.recordParts, docId + 1)
  store.recordNumbers = withCapacity(store.recordNumbers, docId + 1)
  store.recordPassages = withCapacity(store.recordPassages, docId + 1)
  store.recordLengths = withCapacity(store.recordLengths, docId + 1)
  store.recordTies = withCapacity(store.recordTies, docId + 1)
  store.recordTimes = withCapacity(store.recordTimes, docId + 1)
  store.recordEntries = withCapacity(store.recordEntries, docId + 1)
  store.recordTerms = withCapacity(store.recordTerms, docId + 1)
  store.recordConversations = withCapacity(store.recordConversations, docId + 1)
  store.recordThreads = withCapacity(store.recordThreads, docId + 1)
  store.recordPositions = withCapacity(store.recordPositions, docId + 1)
  store.recordTurns = withCapacity(store.recordTurns, docId + 1)
  store.recordAuthors = withCapacity(store.recordAuthors, docId + 1)
  return docId
}

/** Returns a sink that indexes a decoded analysis under a document ordinal. */
function createIndexer(store: GraphStore, docId: number): AnalysisSink {
  const tag = docId * 2 ** POSTING_SHIFT
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
      store.recordLengths[docId] = length
    },
    term: (hash, flags) => {
      const list = openList(store.terms, hash)
      terms.push(list)
      termFlags.push(flags)
      appendPosting(store.terms, list, tag + flags)
    },
    key: (hash, flags, wordTerm) => {
      const key = getOrCreateKey(store, hash)
      keys.push(key)
      if (wordTerm > 0) store.keyWords[key] = terms[wordTerm - 1]! + 2
      appendPosting(store.keys, key, tag + flags)
    },
    entries: (entries) => {
      storeTerms(store, docId, terms, termFlags)
      count = Math.min(entries, ENTRIES_MAX)
      const run = allocateRun(store.runs, count + Math.ceil(count / 2))
      store.recordEntries[docId] = run.address
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
      store.recordTurns[docId] = flags
      store.recordPositions[docId] = position
      store.recordAuthors[docId] = author === 0 ? 0 : keys[author - 1]! + 1
      if (conversation === 0) return
      const list = openList(store.conversations, conversation)
      store.recordConversations[docId] = list + 1
      appendPosting(store.conversations, list, tag)
    },
  }
}

/** Allocates an ordinal for a record or passage and clears the previous values. */
function createDocId(store: GraphStore): number {
  const docId = allocateDocId(store)
  store.recordConversations[docId] = 0
  store.recordThreads[docId] = 0
  store.recordTurns[docId] = 0
  store.recordPositions[docId] = 0
  store.recordAuthors[docId] = 0
  store.recordPassages[docId] = 0
  return docId
}

/** Adds a record or replaces the one with the same id. */
export function putRecord(store: GraphStore, record: GraphRecord): void {
  checkVersion(record.analysis)
  removeRecord(store, record.id)
  const docId = createDocId(store)
  const passages: number[] = []
  readAnalysis(record.analysis, createIndexer(store, docId), () => {
    const passage = createDocId(store)
    store.recordPassages[passage] = passages.push(passage)
    return createIndexer(store, passage)
  })
  const thread = openList(store.conversations, record.externalKey)
  store.recordThreads[docId] = thread + 1
  appendPosting(store.conversations, thread, docId * 2 ** POSTING_SHIFT)
  const part = partOf(store, record)
  addRecordAt(store, record.id, [docId, ...passages])
  if (passages.length > 0) store.passages.set(docId, passages)
  for (const each of [docId, ...passages]) {
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
 * Removes a record. It disappears from results immediately. Its postings are removed by this change and later ones, a
 * few lists at a time.
 */
export function removeRecord(store: GraphStore, id: string): void {
  const first = findRecord(store, id)
  if (first === undefined) return
  const docIds = docIdsOfRecord(store, first)
  dropVectors(store, first)
  for (const docId of docIds) {
    const part = store.parts[store.recordParts[docId]!]!
    part.records -= 1
    if (docId !== first) part.passages -= 1
    part.length -= store.recordLengths[docId]!
    part.changed = store.version + 1
    store.recordParts[docId] = 0
    freeRun(store.runs, store.recordEntries[docId]!)
    freeRun(store.runs, store.recordTerms[docId]!)
    store.recordTerms[docId] = 0
    store.recordEntries[docId] = 0
    store.withdrawn.push(docId)
  }
  removeRecordFrom(store, id, docIds)
  store.passages.delete(first)
  store.withdrawals += 1
  store.version += 1
  sweepSome(store)
}

/**
 * Returns the id of the record with this hash of source and external id. Threads are identified by the hash of their
 * first record.
 */
export function findByKey(store: GraphStore, externalKey: number): string | undefined {
  const thread = findList(store.conversations, externalKey)
  let found: number | undefined
  if (thread < 0) return undefined
  eachSegment(store.conversations, thread, (page, from, to) => {
    for (let at = from; at < to && found === undefined; at += 1) {
      const docId = page[at]! >>> POSTING_SHIFT
      // A removed record stays in its lists until the sweep.
      if (store.recordThreads[docId] === thread + 1 && store.recordParts[docId] !== 0) found = docId
    }
  })
  return found === undefined ? undefined : recordIdAt(store, found)
}

/** A sweep starts at this number of removed ordinals, and at this share of all records if that is more. */
const WITHDRAWN_MIN = 256
const WITHDRAWN_SHARE = 1 / 8
/** Number of lists that each change cleans during a sweep. It spreads the cost over many changes. */
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

/** Removes the postings of removed records from the next few lists. Their ordinals become free after the last list. */
function sweepSome(store: GraphStore): void {
  if (store.sweep === undefined) {
    const threshold = Math.max(WITHDRAWN_MIN, countStored(store) * WITHDRAWN_SHARE)
    if (store.withdrawn.length < threshold) return
    store.sweep = { docIds: store.withdrawn, lists: 0 }
    store.withdrawn = []
  }
  const { sweep } = store
  store.withdrawals += 1
  let left = LISTS_PER_CHANGE
  let before = 0
  for (const postings of [store.terms, store.keys, store.conversations]) {
    const { idLimit } = postings.index
    for (; left > 0 && sweep.lists < before + idLimit; sweep.lists += 1, left -= 1) {
      sweepList(store, postings, sweep.lists - before)
    }
    before += idLimit
  }
  if (sweep.lists < before) return
  for (const docId of sweep.docIds) store.freeDocIds.push(docId)
  store.sweep = undefined
}

export function recordsUpTo(store: GraphStore, seq: number, limit: number): string[] {
  const ids: string[] = []
  for (let docId = 0; docId < store.docIdLimit && ids.length < limit; docId += 1) {
    if (store.recordSeqs[docId]! <= seq && isFirstDocId(store, docId)) ids.push(recordIdAt(store, docId))
  }
  return ids
}

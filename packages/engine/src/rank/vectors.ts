import type { QuestionTimes } from '../understand/find-times.ts'
import { growScratch, type Scratch } from './bm25.ts'
import { allocateRun, createRuns, freeRun, RUN_WORDS_MAX, type Runs, readRun, withCapacity } from './number-tables.ts'
import { countStored, findRecord, isFirstDocId, recordIdAt, topDocs } from './record-doc-ids.ts'
import { isInScope, type Scope, type ScopeView } from './scope-view.ts'
import type { GraphStore } from './store.ts'
import { timeWeight, weigh } from './time-weight.ts'

/** Greatest value of a quantized dimension, a signed byte. Quantization changes cosines in the third digit. */
const BYTE_MAX = 127
const WORD_BITS = 32
const WORD_BYTES = 4
const BYTE_BITS = 8
const BYTE_VALUES = 256

/**
 * Quantizes a vector to signed bytes. The component with the greatest absolute value becomes ±127, and the direction is
 * preserved up to rounding.
 */
export function quantized(vector: ArrayLike<number>): Int8Array {
  let greatest = 0
  for (let at = 0; at < vector.length; at += 1) greatest = Math.max(greatest, Math.abs(vector[at]!))
  return Int8Array.from(vector, (value) => Math.round((value / greatest) * BYTE_MAX))
}

/** Returns the binary code of a vector: the sign bit of each dimension, in whole 32-bit words. */
export function codeOf(vector: Int8Array): Uint32Array {
  const code = new Uint32Array(wordsOf(vector.length))
  for (let at = 0; at < vector.length; at += 1) if (vector[at]! > 0) code[at >>> 5]! |= 1 << (at & 31)
  return code
}

/** Concatenates codes to the bytes of a binary column. */
export function codeBytes(codes: readonly Uint32Array[]): Uint8Array {
  return Uint8Array.from(codes.flatMap((code) => [...new Uint8Array(code.buffer)]))
}

/** Splits the bytes of `codeBytes` into codes. */
export function codesOf(bytes: Uint8Array, dimensions: number): Uint32Array[] {
  const each = wordsOf(dimensions) * WORD_BYTES
  return Array.from(
    { length: Math.floor(bytes.length / each) },
    (_, at) => new Uint32Array(bytes.slice(at * each, (at + 1) * each).buffer),
  )
}

/** Returns the cosine similarity of two vectors. Integer arithmetic makes it the same on every machine. */
export function cosine(one: Int8Array, other: Int8Array): number {
  let product = 0
  let square = 0
  let otherSquare = 0
  for (let at = 0; at < one.length; at += 1) {
    product += one[at]! * other[at]!
    square += one[at]! * one[at]!
    otherSquare += other[at]! * other[at]!
  }
  return product === 0 ? 0 : product / Math.sqrt(square * otherSquare)
}

/** Returns the Hamming distance of two codes. The second one is in `page` at offset `from`. */
export function hammingDistance(code: Uint32Array, page: Uint32Array, from: number): number {
  const words = code.length
  let count = 0
  for (let word = 0; word < words; word += 3) {
    const first = code[word]! ^ page[from + word]!
    const second = word + 1 < words ? code[word + 1]! ^ page[from + word + 1]! : 0
    const third = word + 2 < words ? code[word + 2]! ^ page[from + word + 2]! : 0
    // A carry-save adder reduces three words to ones and twos, so that two words are counted instead of three (Warren,
    // §5-1).
    const either = first ^ second
    const fours = foursOf(either ^ third) + (foursOf((first & second) | (either & third)) << 1)
    count += Math.imul((fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24
  }
  return count
}

/** Returns the number of set bits in each group of four bits, in place. */
function foursOf(bits: number): number {
  const pairs = (bits - ((bits >>> 1) & 0x55555555)) | 0
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
}

function wordsOf(dimensions: number): number {
  return Math.ceil(dimensions / WORD_BITS)
}

/** Vectors of a record version, as the graph receives them. */
export interface GraphVectors {
  recordId: string
  recordSeq: number
  /** Row in which the full vectors are stored. */
  row: number
  /** Binary code of each vector (`codeOf`), all with the same length; empty if the encoder could not read the text. */
  codes: readonly Uint32Array[]
}

/** A record whose binary code is close to that of the question. */
export interface NearRecord {
  id: string
  /** Row in which its vectors are stored. */
  row: number
  /** Factor for the requested time, up to 1. */
  weight: number
}

/** Vector operations of a graph, except the vector search. */
export interface VectorOperations {
  /** Stores the vectors of a record version. Ignores them if the record has another version. */
  putVectors(vectors: GraphVectors): void
  /** Number of records that have vectors or that are known to have none. */
  readonly vectorCount: number
  /** Returns the ids of up to `limit` records without vectors, most recently added first. */
  withoutVectors(limit: number): string[]
  /** Returns the number of records in scope without vectors. */
  countWithoutVectors(scope: Scope | null): number
  /** Returns the storage row of each of these records that has vectors. */
  vectorRows(ids: readonly string[]): Map<string, number>
}

/** Creates the vector operations of a store. `viewOf` returns the view of a scope. */
export function createVectorOperations(
  store: GraphStore,
  viewOf: (scope: Scope | null) => ScopeView,
): Omit<VectorOperations, 'vectorCount'> {
  return {
    countWithoutVectors: (scope) => countWithoutVectors(viewOf(scope)),
    putVectors: (vectors) => putVectors(store, vectors),
    withoutVectors: (limit) => withoutVectors(store, limit),
    vectorRows: (ids) => vectorRows(store, ids),
  }
}

/** Stores vectors if they belong to the record's current version. */
function putVectors(store: GraphStore, { recordId, recordSeq, row, codes }: GraphVectors): void {
  const first = findRecord(store, recordId)
  if (first === undefined || store.recordSeqs[first] !== recordSeq) return
  const { vectors } = store
  dropVectors(store, first)
  vectors.runs ??= createRuns()
  const words = codes[0]?.length ?? 0
  const storedCodes = codes.slice(0, Math.floor(RUN_WORDS_MAX / Math.max(1, words)))
  if (storedCodes.length > 0) {
    vectors.addresses = withCapacity(vectors.addresses, first + 1)
    const { address, page, at: from } = allocateRun(vectors.runs, storedCodes.length * words)
    for (const [at, code] of storedCodes.entries()) page.set(code, from + at * words)
    vectors.addresses[first] = address
  }
  vectors.rows = withCapacity(vectors.rows, first + 1)
  vectors.rows[first] = row + 1
  vectors.count += 1
}

/** Removes the vectors of the record with this first ordinal. */
export function dropVectors({ vectors }: GraphStore, first: number): void {
  if (!vectors.rows[first]) return
  vectors.rows[first] = 0
  vectors.count -= 1
  const address = vectors.addresses[first]
  if (!address || !vectors.runs) return
  freeRun(vectors.runs, address)
  vectors.addresses[first] = 0
}

/** Returns the ids of up to `limit` records without vectors, most recently added first. */
function withoutVectors(store: GraphStore, limit: number): string[] {
  const { vectors } = store
  const ids: string[] = []
  const count = Math.min(limit, countStored(store) - vectors.count)
  for (let docId = store.recordReach - 1; docId >= 0 && ids.length < count; docId -= 1) {
    if (!vectors.rows[docId] && isFirstDocId(store, docId)) ids.push(recordIdAt(store, docId))
  }
  return ids
}

/** Returns the number of records in a view that have no vectors. */
function countWithoutVectors(view: ScopeView): number {
  const { store } = view
  const { rows, count } = store.vectors
  const inAll = countStored(store) - count
  if (inAll === 0 || view.records === countStored(store)) return inAll
  let seen = 0
  for (let docId = 0; docId < store.recordReach; docId += 1) {
    if (!rows[docId] && isFirstDocId(store, docId) && isInScope(view, docId)) seen += 1
  }
  return seen
}

/** Returns the storage row of each of these records that has vectors. */
function vectorRows(store: GraphStore, ids: readonly string[]): Map<string, number> {
  return new Map(
    ids.flatMap((id) => {
      const row = store.vectors.rows[findRecord(store, id) ?? -1]
      return row ? [[id, row - 1] as const] : []
    }),
  )
}

/** Factor of the limit for the preselection by Hamming distance. Nearly all nearest records are among so many. */
const PRESELECTION_FACTOR = 3

/**
 * Returns up to `limit` records in scope that are nearest to a vector. Preselects by Hamming distance of binary codes,
 * then reranks by asymmetric distance. Records whose code is no closer than a random one are left out. The caller
 * compares the full vectors.
 */
export function nearestRecords(
  view: ScopeView,
  scratch: Scratch,
  vector: Int8Array,
  limit: number,
  time: QuestionTimes | undefined,
): NearRecord[] {
  const { store } = view
  const { runs, addresses, rows, count } = store.vectors
  if (runs === undefined || count === 0) return []
  growScratch(scratch, store.recordReach)
  const { graphScores } = scratch
  const weightOf = timeWeight(view, time)
  const docIds = preselectByHamming(
    view,
    codeOf(vector),
    vector.length / 2,
    graphScores,
    time ? undefined : limit * PRESELECTION_FACTOR,
  )
  weigh(docIds, docIds.length, graphScores, weightOf)
  const preselected = topDocs(store, docIds, docIds.length, graphScores, limit * PRESELECTION_FACTOR).map(
    ({ docId }) => docId,
  )
  for (const docId of docIds) graphScores[docId] = 0
  const lookupTable = buildLookupTable(vector)
  for (const docId of preselected) graphScores[docId] = asymmetricSimilarity(lookupTable, runs, addresses[docId]!)
  weigh(preselected, preselected.length, graphScores, weightOf)
  const best = topDocs(store, preselected, preselected.length, graphScores, limit)
  for (const docId of preselected) graphScores[docId] = 0
  return best.map(({ docId }) => {
    const row = rows[docId]! - 1
    return { id: recordIdAt(store, docId), row, weight: weightOf(docId) }
  })
}

/**
 * Returns the ordinals in scope whose Hamming distance is below that of random codes, with the difference in
 * `graphScores`. With a `limit`, leaves out ordinals that at least `limit` others exceed.
 */
function preselectByHamming(
  view: ScopeView,
  code: Uint32Array,
  byChance: number,
  graphScores: Float64Array,
  limit: number | undefined,
): number[] {
  const { runs, addresses } = view.store.vectors
  const docIds: number[] = []
  const countByScore = new Uint32Array(byChance + 1)
  let least = 0
  let atLeast = 0
  for (let docId = 0; docId < addresses.length; docId += 1) {
    const address = addresses[docId]!
    if (address === 0 || !isInScope(view, docId)) continue
    const { page, at, length } = readRun(runs!, address)
    let leastDistance = byChance
    for (let from = at; from < at + length; from += code.length) {
      const distance = hammingDistance(code, page, from)
      if (distance < leastDistance) leastDistance = distance
    }
    const shared = byChance - leastDistance
    if (shared <= 0 || shared < least) continue
    graphScores[docId] = shared
    docIds.push(docId)
    if (limit === undefined) continue
    countByScore[Math.floor(shared)]! += 1
    atLeast += 1
    while (atLeast - countByScore[least]! >= limit) {
      atLeast -= countByScore[least]!
      least += 1
    }
  }
  return docIds
}

/** Returns the asymmetric similarity of a vector and a record's best passage: the dot product with its sign vector. */
function asymmetricSimilarity(lookupTable: Int32Array, runs: Runs, address: number): number {
  const { page, at: start, length } = readRun(runs, address)
  const words = lookupTable.length / (BYTE_VALUES * WORD_BYTES)
  let best = 0
  for (let from = start; from < start + length; from += words) {
    let similarity = 0
    for (let byte = 0; byte < words * WORD_BYTES; byte += 1) {
      const signs = (page[from + (byte >>> 2)]! >>> ((byte & 3) * BYTE_BITS)) & (BYTE_VALUES - 1)
      similarity += lookupTable[byte * BYTE_VALUES + signs]!
    }
    if (similarity > best) best = similarity
  }
  return best
}

/**
 * Returns a lookup table: for each byte of a code and each value of it, the dot product of the vector with these signs.
 */
function buildLookupTable(vector: Int8Array): Int32Array {
  const lookupTable = new Int32Array(wordsOf(vector.length) * WORD_BYTES * BYTE_VALUES)
  for (const [at, step] of vector.entries()) lookupTable[(at >>> 3) * BYTE_VALUES]! -= step
  for (const [at, step] of vector.entries()) {
    const from = (at >>> 3) * BYTE_VALUES
    const bit = 1 << (at & 7)
    // The value with this bit set differs from the value without it by the component counted twice: plus instead of
    // minus.
    for (let signs = bit; signs < 2 * bit; signs += 1)
      lookupTable[from + signs] = lookupTable[from + signs - bit]! + 2 * step
  }
  return lookupTable
}

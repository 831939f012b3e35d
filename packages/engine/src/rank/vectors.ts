import type { QuestionTimes } from '../understand/find-times.ts'
import { growScratch, type Scratch } from './bm25.ts'
import { scanRuns } from './hamming.ts'
import { allocateRun, createRuns, freeRun, RUN_WORDS_MAX, type Runs, readRun, withCapacity } from './number-tables.ts'
import { countStored, findRecord, isFirstDocId, recordIdAt, topDocs } from './record-doc-ids.ts'
import { isInScope, type Scope, type ScopeView } from './scope-view.ts'
import type { GraphStore } from './store.ts'
import { timeWeight, weigh } from './time-weight.ts'

/** Greatest value of a quantized component, a signed byte. Quantization changes cosines in the third digit. */
const BYTE_MAX = 127
const WORD_BITS = 32
const WORD_BYTES = 4
const BYTE_BITS = 8
const BYTE_VALUES = 256

/** Quantizes a vector to signed bytes. The component with the greatest absolute value becomes ±127. */
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

function wordsOf(dimensions: number): number {
  return Math.ceil(dimensions / WORD_BITS)
}

/** Vectors of a record version, as the graph receives them. */
interface GraphVectors {
  recordId: string
  recordSeq: number
  /** Row in which the full vectors are stored. */
  row: number
  /** Binary code of each vector (`codeOf`), all of the same length; empty if the encoder cannot encode the text. */
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
  /** Number of records that have vectors or that the encoder cannot encode. */
  readonly vectorCount: number
  /** Returns the ids of up to `limit` records without vectors, most recently added first. */
  withoutVectors(limit: number): string[]
  countWithoutVectors(scope: Scope | null): number
  /** Returns the storage row of each given record that has vectors. */
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

function withoutVectors(store: GraphStore, limit: number): string[] {
  const { vectors } = store
  const ids: string[] = []
  const count = Math.min(limit, countStored(store) - vectors.count)
  for (let docId = store.docIdLimit - 1; docId >= 0 && ids.length < count; docId -= 1) {
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
  for (let docId = 0; docId < store.docIdLimit; docId += 1) {
    if (!rows[docId] && isFirstDocId(store, docId) && isInScope(view, docId)) seen += 1
  }
  return seen
}

/** Returns the storage row of each given record that has vectors. */
function vectorRows(store: GraphStore, ids: readonly string[]): Map<string, number> {
  return new Map(
    ids.flatMap((id) => {
      const row = store.vectors.rows[findRecord(store, id) ?? -1]
      return row ? [[id, row - 1] as const] : []
    }),
  )
}

/**
 * Number of records that are preselected by Hamming distance, as a multiple of the limit. They include nearly all of
 * the nearest records.
 */
const PRESELECTION_FACTOR = 3

/**
 * Returns up to `limit` records in scope that are nearest to a vector. Preselects by Hamming distance of binary codes,
 * then reranks by asymmetric similarity of the full vector to the codes. Leaves out records whose code is no closer
 * than a random one. The caller compares the full vectors.
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
  growScratch(scratch, store.docIdLimit)
  const { graphScores, touched } = scratch
  const weightOf = timeWeight(view, time)
  // A time weight changes the order, so all records are candidates.
  const preselectedMax = limit * PRESELECTION_FACTOR
  const found = preselectByHamming(view, scratch, vector, time ? store.docIdLimit : preselectedMax)
  weigh(touched, found, graphScores, weightOf)
  const preselected = topDocs(store, touched, found, graphScores, preselectedMax).map(({ docId }) => docId)
  for (let at = 0; at < found; at += 1) graphScores[touched[at]!] = 0
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
 * Finds the ordinals in scope whose Hamming distance is below the distance of random codes. Writes them to `touched`,
 * and the difference from the random distance to `graphScores`. Returns their number. Ordinals that cannot be among the
 * `limit` best are left out. Allocates nothing per record.
 */
function preselectByHamming(view: ScopeView, scratch: Scratch, vector: Int8Array, limit: number): number {
  const { open, store } = view
  const { recordParts } = store
  const { runs, addresses } = store.vectors
  const { distances, shift } = scanRuns(runs!, codeOf(vector), scratch.distances)
  const { graphScores, touched } = scratch
  scratch.distances = distances
  const byChance = vector.length / 2
  const counts = new Uint32Array(Math.ceil(byChance))
  // Maximum distance that can still be among the best, and the number of records up to this distance.
  let greatest = counts.length - 1
  let upToGreatest = 0
  let found = 0
  for (let docId = 0; docId < addresses.length; docId += 1) {
    const address = addresses[docId]!
    const distance = distances[address >>> shift]!
    // The scope is checked last, because few records are this near.
    if (distance > greatest || address === 0 || open[recordParts[docId]!] !== 1) continue
    graphScores[docId] = byChance - distance
    touched[found] = docId
    found += 1
    counts[distance]! += 1
    upToGreatest += 1
    while (upToGreatest - counts[greatest]! >= limit) {
      upToGreatest -= counts[greatest]!
      greatest -= 1
    }
  }
  return found
}

/**
 * Returns the asymmetric similarity between a vector and the best passage of a record: the dot product of the vector
 * and the passage's sign vector.
 */
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
 * Returns a lookup table. For each byte of a code and each value of this byte, it has the dot product of the vector
 * with these eight signs.
 */
function buildLookupTable(vector: Int8Array): Int32Array {
  const lookupTable = new Int32Array(wordsOf(vector.length) * WORD_BYTES * BYTE_VALUES)
  for (const [at, step] of vector.entries()) lookupTable[(at >>> 3) * BYTE_VALUES]! -= step
  for (const [at, step] of vector.entries()) {
    const from = (at >>> 3) * BYTE_VALUES
    const bit = 1 << (at & 7)
    // Setting this bit changes the sign of its component from minus to plus, which adds the component twice.
    for (let signs = bit; signs < 2 * bit; signs += 1)
      lookupTable[from + signs] = lookupTable[from + signs - bit]! + 2 * step
  }
  return lookupTable
}

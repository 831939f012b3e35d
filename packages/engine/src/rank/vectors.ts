import type { AskedTimes } from '../understand/times-asked.ts'
import { fitScratch, type Scratch } from './bm25.ts'
import { createRuns, freeRun, RUN_WORDS_MAX, type Runs, readRun, takeRun, withRoom } from './number-tables.ts'
import { bestPlaces, countHeld, findRecord, isFirstPlace, recordIdAt } from './record-places.ts'
import { type Scope, type ScopeView, sees } from './scope-view.ts'
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
export function quantised(vector: ArrayLike<number>): Int8Array {
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
export function differingSigns(code: Uint32Array, page: Uint32Array, from: number): number {
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
export interface HeldVectors {
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
export function vectorsIn(
  store: GraphStore,
  viewOf: (scope: Scope | null) => ScopeView,
): Omit<HeldVectors, 'vectorCount'> {
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
  const kept = codes.slice(0, Math.floor(RUN_WORDS_MAX / Math.max(1, words)))
  if (kept.length > 0) {
    vectors.addresses = withRoom(vectors.addresses, first + 1)
    const { address, page, at: from } = takeRun(vectors.runs, kept.length * words)
    for (const [at, code] of kept.entries()) page.set(code, from + at * words)
    vectors.addresses[first] = address
  }
  vectors.rows = withRoom(vectors.rows, first + 1)
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
  const wanted = Math.min(limit, countHeld(store) - vectors.count)
  for (let place = store.recordReach - 1; place >= 0 && ids.length < wanted; place -= 1) {
    if (!vectors.rows[place] && isFirstPlace(store, place)) ids.push(recordIdAt(store, place))
  }
  return ids
}

/** Returns the number of records in a view that have no vectors. */
function countWithoutVectors(view: ScopeView): number {
  const { store } = view
  const { rows, count } = store.vectors
  const inAll = countHeld(store) - count
  if (inAll === 0 || view.records === countHeld(store)) return inAll
  let seen = 0
  for (let place = 0; place < store.recordReach; place += 1) {
    if (!rows[place] && isFirstPlace(store, place) && sees(view, place)) seen += 1
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
const SIFTED = 3

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
  time: AskedTimes | undefined,
): NearRecord[] {
  const { store } = view
  const { runs, addresses, rows, count } = store.vectors
  if (runs === undefined || count === 0) return []
  fitScratch(scratch, store.recordReach)
  const { masses } = scratch
  const weightOf = timeWeight(view, time)
  const places = sharingSigns(view, codeOf(vector), vector.length / 2, masses, time ? undefined : limit * SIFTED)
  weigh(places, places.length, masses, weightOf)
  const sifted = bestPlaces(store, places, places.length, masses, limit * SIFTED).map(({ place }) => place)
  for (const place of places) masses[place] = 0
  const steps = stepsAlong(vector)
  for (const place of sifted) masses[place] = alongSigns(steps, runs, addresses[place]!)
  weigh(sifted, sifted.length, masses, weightOf)
  const best = bestPlaces(store, sifted, sifted.length, masses, limit)
  for (const place of sifted) masses[place] = 0
  return best.map(({ place }) => {
    const row = rows[place]! - 1
    return { id: recordIdAt(store, place), row, weight: weightOf(place) }
  })
}

/**
 * Returns the ordinals in scope whose Hamming distance is below that of random codes, with the difference in `masses`.
 * With a `limit`, leaves out ordinals that at least `limit` others exceed.
 */
function sharingSigns(
  view: ScopeView,
  code: Uint32Array,
  byChance: number,
  masses: Float64Array,
  limit: number | undefined,
): number[] {
  const { runs, addresses } = view.store.vectors
  const places: number[] = []
  const sharing = new Uint32Array(byChance + 1)
  let least = 0
  let atLeast = 0
  for (let place = 0; place < addresses.length; place += 1) {
    const address = addresses[place]!
    if (address === 0 || !sees(view, place)) continue
    const { page, at, length } = readRun(runs!, address)
    let fewest = byChance
    for (let from = at; from < at + length; from += code.length) {
      const differing = differingSigns(code, page, from)
      if (differing < fewest) fewest = differing
    }
    const shared = byChance - fewest
    if (shared <= 0 || shared < least) continue
    masses[place] = shared
    places.push(place)
    if (limit === undefined) continue
    sharing[Math.floor(shared)]! += 1
    atLeast += 1
    while (atLeast - sharing[least]! >= limit) {
      atLeast -= sharing[least]!
      least += 1
    }
  }
  return places
}

/** Returns the asymmetric similarity of a vector and a record's best passage: the dot product with its sign vector. */
function alongSigns(steps: Int32Array, runs: Runs, address: number): number {
  const { page, at: start, length } = readRun(runs, address)
  const words = steps.length / (BYTE_VALUES * WORD_BYTES)
  let furthest = 0
  for (let from = start; from < start + length; from += words) {
    let along = 0
    for (let byte = 0; byte < words * WORD_BYTES; byte += 1) {
      const signs = (page[from + (byte >>> 2)]! >>> ((byte & 3) * BYTE_BITS)) & (BYTE_VALUES - 1)
      along += steps[byte * BYTE_VALUES + signs]!
    }
    if (along > furthest) furthest = along
  }
  return furthest
}

/**
 * Returns a lookup table: for each byte of a code and each value of it, the dot product of the vector with these signs.
 */
function stepsAlong(vector: Int8Array): Int32Array {
  const steps = new Int32Array(wordsOf(vector.length) * WORD_BYTES * BYTE_VALUES)
  for (const [at, step] of vector.entries()) steps[(at >>> 3) * BYTE_VALUES]! -= step
  for (const [at, step] of vector.entries()) {
    const from = (at >>> 3) * BYTE_VALUES
    const bit = 1 << (at & 7)
    // The value with this bit set differs from the value without it by the component counted twice: plus instead of
    // minus.
    for (let signs = bit; signs < 2 * bit; signs += 1) steps[from + signs] = steps[from + signs - bit]! + 2 * step
  }
  return steps
}

import type { AskedTimes } from '../understand/times-asked.ts'
import { fitScratch, type Scratch } from './bm25.ts'
import { createRuns, freeRun, RUN_WORDS_MAX, type Runs, readRun, takeRun, withRoom } from './number-tables.ts'
import { bestPlaces, countHeld, findRecord, isFirstPlace, recordIdAt } from './record-places.ts'
import { type Scope, type ScopeView, sees } from './scope-view.ts'
import type { GraphStore } from './store.ts'
import { timeWeight, weigh } from './time-weight.ts'

/** A signed byte for each dimension: cosines differ from those of the numbers in the third digit. */
const BYTE_MAX = 127
const WORD_BITS = 32
const WORD_BYTES = 4
const BYTE_BITS = 8
const BYTE_VALUES = 256

/** The vector in signed bytes, which have its direction; its greatest number becomes the greatest byte. */
export function quantised(vector: ArrayLike<number>): Int8Array {
  let greatest = 0
  for (let at = 0; at < vector.length; at += 1) greatest = Math.max(greatest, Math.abs(vector[at]!))
  return Int8Array.from(vector, (value) => Math.round((value / greatest) * BYTE_MAX))
}

/** The signs of a vector, a bit for each dimension, in whole words. */
export function codeOf(vector: Int8Array): Uint32Array {
  const code = new Uint32Array(wordsOf(vector.length))
  for (let at = 0; at < vector.length; at += 1) if (vector[at]! > 0) code[at >>> 5]! |= 1 << (at & 31)
  return code
}

/** The words of codes one after the other, as a column of binary keeps them. */
export function codeBytes(codes: readonly Uint32Array[]): Uint8Array {
  return Uint8Array.from(codes.flatMap((code) => [...new Uint8Array(code.buffer)]))
}

/** Undoes codeBytes. */
export function codesOf(bytes: Uint8Array, dimensions: number): Uint32Array[] {
  const each = wordsOf(dimensions) * WORD_BYTES
  return Array.from(
    { length: Math.floor(bytes.length / each) },
    (_, at) => new Uint32Array(bytes.slice(at * each, (at + 1) * each).buffer),
  )
}

/** How alike two vectors are: the cosine of their angle, the same on every machine. */
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

/** In how many signs two codes differ, the second of which stands in `page` from `from` on. */
export function differingSigns(code: Uint32Array, page: Uint32Array, from: number): number {
  const words = code.length
  let count = 0
  for (let word = 0; word < words; word += 3) {
    const first = code[word]! ^ page[from + word]!
    const second = word + 1 < words ? code[word + 1]! ^ page[from + word + 1]! : 0
    const third = word + 2 < words ? code[word + 2]! ^ page[from + word + 2]! : 0
    // Three words are added up bit by bit to ones and twos, so that two are counted instead of three (Warren, §5-1).
    const either = first ^ second
    const fours = foursOf(either ^ third) + (foursOf((first & second) | (either & third)) << 1)
    count += Math.imul((fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24
  }
  return count
}

/** How many of each four bits are ones, in these four bits. */
function foursOf(bits: number): number {
  const pairs = (bits - ((bits >>> 1) & 0x55555555)) | 0
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
}

function wordsOf(dimensions: number): number {
  return Math.ceil(dimensions / WORD_BITS)
}

/** The vectors of a version of a record, as the graph takes them. */
export interface GraphVectors {
  recordId: string
  recordSeq: number
  /** Where the vectors themselves are stored. */
  row: number
  /** The signs of each (`codeOf`), all of one length; none where the model could read nothing. */
  codes: readonly Uint32Array[]
}

/** A record whose vector has most signs in common with a question's. */
export interface NearRecord {
  id: string
  /** Where its vectors are stored. */
  row: number
  /** What it counts for by the time that was asked about, up to 1. */
  weight: number
}

/** What a graph holds of vectors beside what ranks by them. */
export interface HeldVectors {
  /** Takes up the vectors of a version of a record, unless the record has another one. */
  putVectors(vectors: GraphVectors): void
  /** Records that have vectors, or of which it is known that they can have none. */
  readonly vectorCount: number
  /** Ids of up to `limit` records that have no vectors yet, those that came last before others. */
  withoutVectors(limit: number): string[]
  /** How many records in scope have no vectors yet. */
  countWithoutVectors(scope: Scope | null): number
  /** Where the vectors of these records are stored, by record; of those that have some. */
  vectorRows(ids: readonly string[]): Map<string, number>
}

/** What the graph of a store holds of vectors, of which `viewOf` gives what a scope sees. */
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

/** Takes up the vectors of the version that a record has; those of any other version say nothing any more. */
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

/** Forgets the vectors of the record with this first place. */
export function dropVectors({ vectors }: GraphStore, first: number): void {
  if (!vectors.rows[first]) return
  vectors.rows[first] = 0
  vectors.count -= 1
  const address = vectors.addresses[first]
  if (!address || !vectors.runs) return
  freeRun(vectors.runs, address)
  vectors.addresses[first] = 0
}

/** Ids of up to `limit` records that have no vectors yet, those that came last before others. */
function withoutVectors(store: GraphStore, limit: number): string[] {
  const { vectors } = store
  const ids: string[] = []
  const wanted = Math.min(limit, countHeld(store) - vectors.count)
  for (let place = store.recordReach - 1; place >= 0 && ids.length < wanted; place -= 1) {
    if (!vectors.rows[place] && isFirstPlace(store, place)) ids.push(recordIdAt(store, place))
  }
  return ids
}

/** How many records that a view sees have no vectors yet. */
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

/** Where the vectors of these records are stored, by record; of those that have some. */
function vectorRows(store: GraphStore, ids: readonly string[]): Map<string, number> {
  return new Map(
    ids.flatMap((id) => {
      const row = store.vectors.rows[findRecord(store, id) ?? -1]
      return row ? [[id, row - 1] as const] : []
    }),
  )
}

/** So many times those that are wanted are kept by their signs alone: nearly all of the nearest are among them. */
const SIFTED = 3

/**
 * The records in scope, up to `limit`, whose signs lie nearest to this vector: of those whose own signs differ least
 * from its signs, by more than chance gives. Among them are the nearest, which the vectors themselves tell.
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
 * Places in scope whose signs have more in common with a code than chance gives, with how many more in `masses`. With
 * a `limit`, who shares fewer signs than so many others is left out.
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

/** How far a vector goes in the direction of a record's signs: of its passages the one that it follows furthest. */
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

/** For each byte of a code and each value that it can have, how far a vector goes in the direction of these signs. */
function stepsAlong(vector: Int8Array): Int32Array {
  const steps = new Int32Array(wordsOf(vector.length) * WORD_BYTES * BYTE_VALUES)
  for (const [at, step] of vector.entries()) steps[(at >>> 3) * BYTE_VALUES]! -= step
  for (const [at, step] of vector.entries()) {
    const from = (at >>> 3) * BYTE_VALUES
    const bit = 1 << (at & 7)
    // Of a byte with this bit set that goes further by this step forth instead of back than without it.
    for (let signs = bit; signs < 2 * bit; signs += 1) steps[from + signs] = steps[from + signs - bit]! + 2 * step
  }
  return steps
}

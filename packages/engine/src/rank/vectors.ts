import type { AskedTimes } from '../understand/times-asked.ts'
import { fitScratch, type Scratch } from './bm25.ts'
import { withRoom } from './key-index.ts'
import { bestRecords, placesOfRecord } from './passages.ts'
import { createRuns, freeRun, readRun, takeRun } from './runs.ts'
import { type ScopeView, sees } from './scope-view.ts'
import type { GraphStore } from './store.ts'
import { timeWeight, weigh } from './time-weight.ts'
import { codeOf, differingSigns } from './vector-code.ts'

/** The vectors of a version of a record, as the graph takes them. */
export interface GraphVectors {
  recordId: string
  recordSeq: number
  /** Where the vectors themselves are stored. */
  row: number
  /** Their signs, passage by passage (`codeOf`); none where the model could read nothing. */
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

/** Takes up the vectors of the version that a record has; those of any other version say nothing any more. */
export function putVectors(store: GraphStore, { recordId, recordSeq, row, codes }: GraphVectors): void {
  const first = store.recordPlaces.get(recordId)
  if (first === undefined || store.recordSeqs[first] !== recordSeq) return
  const { vectors } = store
  const places = placesOfRecord(store, first)
  dropVectors(store, places)
  vectors.runs ??= createRuns()
  const { runs } = vectors
  for (const [at, place] of places.entries()) {
    const code = codes[at]
    if (code === undefined) break
    vectors.addresses = withRoom(vectors.addresses, place + 1)
    const { address, page, at: from } = takeRun(runs, code.length)
    page.set(code, from)
    vectors.addresses[place] = address
  }
  vectors.rows = withRoom(vectors.rows, first + 1)
  vectors.rows[first] = row + 1
  vectors.count += 1
}

/** Forgets the vectors of a record, whose first place comes first. */
export function dropVectors({ vectors }: GraphStore, places: readonly number[]): void {
  const [first = 0] = places
  if (!vectors.rows[first]) return
  vectors.rows[first] = 0
  vectors.count -= 1
  for (const place of places) {
    const address = vectors.addresses[place]
    if (!address || !vectors.runs) continue
    freeRun(vectors.runs, address)
    vectors.addresses[place] = 0
  }
}

/** Ids of up to `limit` records that have no vectors yet. */
export function withoutVectors({ recordPlaces, vectors }: GraphStore, limit: number): string[] {
  const ids: string[] = []
  for (const [id, place] of recordPlaces) {
    if (ids.length >= limit) break
    if (!vectors.rows[place]) ids.push(id)
  }
  return ids
}

/**
 * The records in scope, up to `limit`, whose vectors have most signs in common with this one, more than chance gives:
 * among them are the nearest, which the vectors themselves tell.
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
  const places: number[] = []
  const code = codeOf(vector)
  const byChance = vector.length / 2
  for (let place = 0; place < addresses.length; place += 1) {
    const address = addresses[place]!
    if (address === 0 || !sees(view, place)) continue
    const run = readRun(runs, address)
    const shared = byChance - differingSigns(code, run.page, run.at)
    if (shared <= 0) continue
    masses[place] = shared
    places.push(place)
  }
  const weightOf = timeWeight(view, time)
  weigh(places, places.length, masses, weightOf)
  const best = bestRecords(store, places, places.length, masses, limit)
  for (const place of places) masses[place] = 0
  return best.map(({ place }) => {
    const id = store.recordIds[place]!
    return { id, row: rows[store.recordPlaces.get(id)!]! - 1, weight: weightOf(place) }
  })
}

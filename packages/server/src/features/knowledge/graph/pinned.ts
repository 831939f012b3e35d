import type { Question } from '../analyser/analyse-question.ts'
import { bestPlaces, type Scored } from './best.ts'
import type { Scratch } from './bm25.ts'
import { entityNode } from './key-states.ts'
import type { Linked } from './linking.ts'
import { edgesOf } from './links.ts'
import { rankPlaces } from './ranking.ts'
import { type ScopeView, sees } from './scope-view.ts'

/** What pinned tuples stand for. */
export interface PinnedRanking {
  lists: Scored[][]
  linked: Linked
}

/** Records of the question's own ranking that tell pinned records apart; beyond it the order is that of ties. */
const QUESTION_RANKED = 1_000
/** Less than one id held, so that the number of ids decides first. */
const RELEVANCE_MAX = 0.9
/** Of a record that holds the ids but has nothing to do with the question. */
const LEAST_RELEVANCE = 1e-3
/** A pinned record stands before any that only holds what it is about. */
const PINNED = 1_000

/** The places in scope that hold one of the ids; how many each holds is in the scratch's `masses`. */
function countHolders(view: ScopeView, scratch: Scratch, tuple: readonly string[]): number[] {
  const { store } = view
  const places: number[] = []
  const add = (place: number, count: number): void => {
    if (scratch.masses[place] === 0) places.push(place)
    scratch.masses[place]! += count
  }
  for (const id of new Set(tuple)) {
    const record = store.recordPlaces.get(id)
    const entity = store.entityPlaces.get(id)
    if (record !== undefined && sees(view, record)) add(record, PINNED)
    if (entity !== undefined) for (const place of edgesOf(view, entityNode(view, entity)).places) add(place, 1)
  }
  return places
}

function scoreHolders(
  view: ScopeView,
  scratch: Scratch,
  tuple: readonly string[],
  relevance: ReadonlyMap<number, number>,
  limit: number,
): Scored[] {
  const places = countHolders(view, scratch, tuple)
  const { masses } = scratch
  for (const [place, relevant] of relevance) if (masses[place]! > 0) masses[place]! += relevant * RELEVANCE_MAX
  const best = bestPlaces(view.store, places, places.length, masses, limit)
  for (const place of places) masses[place] = 0
  return best.map(({ place }) => ({ place, score: Math.max(LEAST_RELEVANCE, relevance.get(place) ?? 0) }))
}

/**
 * Per tuple the records that hold all of its ids, then those that hold most, equal ones in the question's order; a
 * score is the record's relevance to the question, in (0, 1].
 */
export function rankTuples(
  view: ScopeView,
  scratch: Scratch,
  question: Question,
  tuples: readonly string[][],
  limit: number,
): PinnedRanking {
  const { scored, linked } = rankPlaces(view, scratch, question, QUESTION_RANKED)
  const relevance = new Map(scored.map(({ place, score }) => [place, score]))
  return { lists: tuples.map((tuple) => scoreHolders(view, scratch, tuple, relevance, limit)), linked }
}

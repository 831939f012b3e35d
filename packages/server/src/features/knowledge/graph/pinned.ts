import type { Question } from '../analyser/analyse-question.ts'
import { byScore, type Scored } from './best.ts'
import type { Scratch } from './bm25.ts'
import type { Linked } from './linking.ts'
import { rankPlaces } from './ranking.ts'
import { edgesOf, entityNode, type ScopeView, sees } from './scope-view.ts'

/** What pinned tuples stand for. */
export interface PinnedRanking {
  lists: Scored[][]
  linked: Linked
}

/** Records of the question's own ranking that tell pinned records apart; beyond it the order is that of ties. */
const QUESTION_RANKED = 1_000
/** A pinned record stands before any that only holds what it is about. */
const PINNED = 1_000

function countHolders(view: ScopeView, tuple: readonly string[]): Map<number, number> {
  const { store } = view
  const held = new Map<number, number>()
  for (const id of new Set(tuple)) {
    const record = store.recordPlaces.get(id)
    if (record !== undefined) {
      if (sees(view, record)) held.set(record, (held.get(record) ?? 0) + PINNED)
      continue
    }
    const entity = store.entityPlaces.get(id)
    if (entity === undefined) continue
    for (const place of edgesOf(view, entityNode(view, entity)).places) held.set(place, (held.get(place) ?? 0) + 1)
  }
  return held
}

function scoreHolders(
  view: ScopeView,
  held: ReadonlyMap<number, number>,
  relevance: ReadonlyMap<number, number>,
  limit: number,
): Scored[] {
  const scored: Scored[] = []
  let most = 0
  for (const count of held.values()) most = Math.max(most, count)
  // Relevance is at most 1, so that one more id held always comes first.
  for (const [place, count] of held) scored.push({ place, score: (count + (relevance.get(place) ?? 0)) / (most + 1) })
  return scored.sort(byScore(view.store)).slice(0, limit)
}

/** Per tuple the records that hold all of its ids, then those that hold most, equal ones in the question's order. */
export function rankTuples(
  view: ScopeView,
  scratch: Scratch,
  question: Question,
  tuples: readonly string[][],
  limit: number,
): PinnedRanking {
  const { scored, linked } = rankPlaces(view, scratch, question, QUESTION_RANKED)
  const relevance = new Map(scored.map(({ place, score }) => [place, score]))
  return { lists: tuples.map((tuple) => scoreHolders(view, countHolders(view, tuple), relevance, limit)), linked }
}

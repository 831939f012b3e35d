import type { Question } from '../analyser/analyse-question.ts'
import { bestPlaces, type Scored } from './best.ts'
import { clearScores, type Scratch, scoreWords, type WordScores } from './bm25.ts'
import { type Linked, linkQuestion } from './linking.ts'
import { rerank } from './rerank.ts'
import { restartOf } from './restart.ts'
import type { ScopeView } from './scope-view.ts'
import { clearWalk, walk } from './walk.ts'

/** Places in order with scores in (0, 1], and what the question named. */
export interface Ranking {
  scored: Scored[]
  linked: Linked
}

/** Records that the walk brings up and the rerank orders again. */
const RERANKED = 50
/** Mass at which what the walk reached weighs as much as what only the words found. */
const LEAST_SCORE = 1e-6

/** Scales to (0, 1] and keeps the order of what follows. */
function normalised(scored: readonly Scored[]): Scored[] {
  const greatest = scored[0]?.score ?? 1
  let ceiling = 1
  return scored.map(({ place, score }) => {
    ceiling = Math.min(ceiling, Math.max(LEAST_SCORE, score / greatest))
    return { place, score: ceiling }
  })
}

/** Appends what the walk reached and what only the words found, below what is there. */
function fill(
  view: ScopeView,
  scratch: Scratch,
  reached: readonly number[],
  words: WordScores,
  top: Scored[],
  limit: number,
): Scored[] {
  const shown = new Set(top.map(({ place }) => place))
  const others: Scored[] = []
  const take = (found: readonly Scored[], scale: number): void => {
    for (const { place, score } of found) {
      if (shown.has(place)) continue
      shown.add(place)
      others.push({ place, score: score * scale })
    }
  }
  take(bestPlaces(view.store, reached, reached.length, scratch.masses, limit), 1)
  if (shown.size < limit) take(bestPlaces(view.store, scratch.touched, words.touched, scratch.scores, limit), 0)
  const least = top.at(-1)?.score ?? 1
  const below = normalised(others).map(({ place, score }) => ({ place, score: Math.max(LEAST_SCORE, score * least) }))
  return [...top, ...below].slice(0, limit)
}

/** Ranks the scope's records by the question: words, names, and what the records share with each other. */
export function rankPlaces(view: ScopeView, scratch: Scratch, question: Question, limit: number): Ranking {
  const words = scoreWords(view, scratch, question)
  let reached: readonly number[] = []
  try {
    const linked = linkQuestion(view, question)
    const restart = restartOf(view, scratch, words, linked)
    reached = walk(view, scratch, restart)
    const best0 = bestPlaces(view.store, reached, reached.length, scratch.masses, RERANKED)
    let rare = 0
    for (const [node] of linked.nodes) rare = Math.max(rare, node.idf / Math.log(1 + view.records))
    const beta = +(process.env.BETA ?? 0) * (1 - Math.min(1, rare / 0.5))
    const mx = best0[0]?.score ?? 1
    const pool = new Set(best0.map((x) => x.place))
    if (beta > 0) for (const x of bestPlaces(view.store, scratch.touched, words.touched, scratch.scores, +(process.env.POOL ?? 0))) pool.add(x.place)
    const best = [...pool].map((place) => ({ place, score: scratch.masses[place]! / mx + beta * (scratch.scores[place]! / (words.best || 1)) ** +(process.env.POW ?? 1) }))
    const top = normalised(rerank(view, scratch, words, linked, best))
    const scored = limit <= top.length ? top.slice(0, limit) : fill(view, scratch, reached, words, top, limit)
    return { scored, linked }
  } finally {
    clearWalk(scratch, reached)
    clearScores(scratch, words)
  }
}

/** Ranks by BM25F alone, as a measure of what the graph adds. */
export function rankByWords(view: ScopeView, scratch: Scratch, question: Question, limit: number): Scored[] {
  const words = scoreWords(view, scratch, question)
  try {
    return normalised(bestPlaces(view.store, scratch.touched, words.touched, scratch.scores, limit))
  } finally {
    clearScores(scratch, words)
  }
}

import type { Question } from '../understand/analyse-question.ts'
import type { Scored } from './best.ts'
import { clearScores, type Scratch, scoreWords, type WordScores } from './bm25.ts'
import { scoreTogether } from './context.ts'
import { demoteCopies } from './copies.ts'
import { scoreAlike } from './feedback.ts'
import { type Linked, linkQuestion } from './linking.ts'
import { bestRecords, onePerRecord, recordPlaceOf } from './passages.ts'
import { rerank } from './rerank.ts'
import { restartOf } from './restart.ts'
import type { ScopeView } from './scope-view.ts'
import { type AskedTimes, timeWeight, weigh } from './time-weight.ts'
import { rankTimes } from './times.ts'
import { clearWalk, walk } from './walk.ts'

/** Places in order with scores in (0, 1], and what the question named. */
export interface Ranking {
  scored: Scored[]
  linked: Linked
}

/** Records that the walk brings up and the rerank orders again. */
const RERANKED = 50
/**
 * Weight of the words' scores beside the walk's when the question names nothing that tells records apart: the walk
 * then begins at those same words, and has little to add to them.
 */
const WORD_SHARE = 8
/** Mass at which what the walk reached weighs as much as what only the words found. */
const LEAST_SCORE = 1e-6

/** Scales to (0, 1] and keeps the order of what follows; where none has a score, all have the least. */
function normalised(scored: readonly Scored[]): Scored[] {
  const greatest = scored[0]?.score || 1
  let ceiling = 1
  return scored.map(({ place, score }) => {
    ceiling = Math.min(ceiling, Math.max(LEAST_SCORE, score / greatest))
    return { place, score: ceiling }
  })
}

/**
 * The best of what the walk reached. The less the question's names tell records apart, the more the words' own
 * scores count beside the walk's, and the best by words are candidates too.
 */
function candidatesOf(
  view: ScopeView,
  scratch: Scratch,
  reached: readonly number[],
  words: WordScores,
  linked: Linked,
): Scored[] {
  const best = bestRecords(view.store, reached, reached.length, scratch.masses, RERANKED)
  const wordShare = WORD_SHARE * (1 - linked.certainty)
  if (wordShare === 0) return best
  const greatest = best[0]?.score ?? 1
  const places = new Set(best.map(({ place }) => place))
  for (const { place } of bestRecords(view.store, scratch.touched, words.touched, scratch.scores, RERANKED))
    places.add(place)
  return Array.from(places, (place) => {
    const byWords = words.best === 0 ? 0 : scratch.scores[place]! / words.best
    return { place, score: scratch.masses[place]! / greatest + wordShare * byWords }
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
  const { store } = view
  const shown = new Set(top.map(({ place }) => recordPlaceOf(store, place)))
  const others: Scored[] = []
  const take = (found: readonly Scored[], scale: number): void => {
    for (const { place, score } of found) {
      const record = recordPlaceOf(store, place)
      if (shown.has(record)) continue
      shown.add(record)
      others.push({ place, score: score * scale })
    }
  }
  take(bestRecords(store, reached, reached.length, scratch.masses, limit), 1)
  if (shown.size < limit) take(bestRecords(store, scratch.touched, words.touched, scratch.scores, limit), 0)
  const least = top.at(-1)?.score ?? 1
  const below = normalised(others).map(({ place, score }) => ({ place, score: Math.max(LEAST_SCORE, score * least) }))
  return [...top, ...below].slice(0, limit)
}

/**
 * Ranks the scope's records by the question: words, names, and what the records share with each other; with a time,
 * records that occurred in it come before others that fit as well. A question about a time alone gets what mattered
 * most then.
 */
export function rankPlaces(
  view: ScopeView,
  scratch: Scratch,
  question: Question,
  limit: number,
  time?: AskedTimes,
): Ranking {
  const weightOf = timeWeight(view, time)
  const linked = linkQuestion(view, question)
  if (time?.isAll) return { scored: normalised(rankTimes(view, scratch, time, limit)), linked }
  let words = scoreWords(view, scratch, question, weightOf)
  let reached: readonly number[] = []
  try {
    words = scoreTogether(view, scratch, words, linked, weightOf)
    const restart = restartOf(view, scratch, words, linked)
    reached = walk(view, scratch, restart)
    words = scoreAlike(view, scratch, words, linked, weightOf)
    weigh(reached, reached.length, scratch.masses, weightOf)
    const best = candidatesOf(view, scratch, reached, words, linked)
    const found = onePerRecord(view.store, rerank(view, scratch, words, linked, best, weightOf))
    const top = normalised(demoteCopies(view, scratch, found))
    const scored = limit <= top.length ? top.slice(0, limit) : fill(view, scratch, reached, words, top, limit)
    return { scored, linked }
  } finally {
    clearWalk(scratch, reached)
    clearScores(scratch, words)
  }
}

/** Ranks by BM25F alone, as a measure of what the graph adds. */
export function rankByWords(view: ScopeView, scratch: Scratch, question: Question, limit: number): Scored[] {
  const words = scoreWords(view, scratch, question, timeWeight(view, undefined))
  try {
    return normalised(bestRecords(view.store, scratch.touched, words.touched, scratch.scores, limit))
  } finally {
    clearScores(scratch, words)
  }
}

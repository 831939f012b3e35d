import type { Question } from '../understand/analyse-question.ts'
import type { AskedTimes } from '../understand/times-asked.ts'
import type { Scored } from './best.ts'
import { clearScores, type Scratch, scoreWords, type WordScores } from './bm25.ts'
import { type Fused, fuse, type Given } from './fuse.ts'
import { type Linked, linkQuestion } from './linking.ts'
import { nameReach } from './name-reach.ts'
import { bestRecords, onePerRecord, recordPlaceOf } from './passages.ts'
import { restartOf } from './restart.ts'
import type { ScopeView } from './scope-view.ts'
import { scoreTogether } from './signals/conversation.ts'
import { demoteCopies } from './signals/copies.ts'
import type { SignalName } from './signals/signal.ts'
import { timeWeight, weigh } from './time-weight.ts'
import { rankTimes } from './times.ts'
import { clearWalk, walk } from './walk.ts'
import { WEIGHTS, type Weights } from './weights.ts'

/** Places in order with scores in (0, 1], and what the question named. */
export interface Ranking {
  scored: (Scored & { given?: Given })[]
  linked: Linked
}

/** How to rank. */
export interface RankOptions {
  /** Signals to leave out; without `time` the time that is asked about changes nothing. */
  without?: readonly SignalName[]
  /** Whether each record says what each signal gave it. */
  explain?: boolean
  /** Weights that differ from those that every question is ranked with. */
  weights?: Partial<Weights>
}

/** Where names lead less than this, the walk would change nothing. */
const REACH_MIN = 0.02
/** The score of what is found last. */
const LEAST_SCORE = 1e-6

/** Scales to (0, 1] and keeps the order of what follows; where none has a score, all have the least. */
function normalised<T extends Scored>(scored: readonly T[]): T[] {
  const greatest = scored[0]?.score || 1
  let ceiling = 1
  return scored.map((each) => {
    ceiling = Math.min(ceiling, Math.max(LEAST_SCORE, each.score / greatest))
    return { ...each, score: ceiling }
  })
}

/** Appends what only the walk or the words reached, below what is there. */
function fill(
  { store }: ScopeView,
  scratch: Scratch,
  reached: readonly number[],
  words: WordScores,
  top: Fused[],
  limit: number,
): Fused[] {
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
  { without = [], explain = false, weights: given }: RankOptions = {},
): Ranking {
  const weights = { ...WEIGHTS, ...given }
  const isOn = (name: SignalName) => !without.includes(name)
  const asked = isOn('time') ? time : undefined
  const weightOf = timeWeight(view, asked)
  const linked = linkQuestion(view, question)
  if (asked?.isAll) return { scored: normalised(rankTimes(view, scratch, asked, limit)), linked }
  let words = scoreWords(view, scratch, question, weightOf)
  let reached: readonly number[] = []
  try {
    if (isOn('conversation')) words = scoreTogether(view, scratch, words, linked, weightOf)
    const named = isOn('names') ? nameReach(linked, words.terms, weights) : 0
    const reach = named < REACH_MIN ? 0 : named
    if (reach > 0) reached = walk(view, scratch, restartOf(view, scratch, words, linked))
    weigh(reached, reached.length, scratch.masses, weightOf)
    const ranked = { view, scratch, words, linked, weights, weightOf }
    const found = onePerRecord(view.store, fuse(ranked, { reach, reached, isOn, explain }))
    const top = normalised(isOn('copies') ? demoteCopies(view, scratch, found) : found)
    const scored = limit <= top.length ? top.slice(0, limit) : fill(view, scratch, reached, words, top, limit)
    return { scored, linked }
  } finally {
    clearWalk(scratch, reached)
    clearScores(scratch, words)
  }
}

/** Ranks by BM25F alone, as a measure of what the signals add. */
export function rankByWords(view: ScopeView, scratch: Scratch, question: Question, limit: number): Scored[] {
  const words = scoreWords(view, scratch, question, timeWeight(view, undefined))
  try {
    return normalised(bestRecords(view.store, scratch.touched, words.touched, scratch.scores, limit))
  } finally {
    clearScores(scratch, words)
  }
}

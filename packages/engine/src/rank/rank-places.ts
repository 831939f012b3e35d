import type { Question } from '../understand/analyse-question.ts'
import type { AskedTimes } from '../understand/times-asked.ts'
import { clearScores, type ScoredTerm, type Scratch, scoreWords, termsInScope, type WordScores } from './bm25.ts'
import { type Fused, fuse, type Given } from './fuse.ts'
import { idAt } from './id-table.ts'
import { type Linked, type LinkedName, linkQuestion } from './linking.ts'
import { linksOf } from './links.ts'
import { bestRecords, onePerRecord, placesOfRecord, recordIdAt, recordPlaceOf, type Scored } from './record-places.ts'
import type { ScopeView } from './scope-view.ts'
import { scoreTogether } from './signals/conversation.ts'
import { demoteCopies } from './signals/copies.ts'
import { idfSum, type SignalName } from './signals/signal.ts'
import { timeWeight, weigh } from './time-weight.ts'
import { rankTimes } from './times.ts'
import { clearWalk, restartOf, walk } from './walk.ts'
import { brevity, WEIGHTS, type Weights } from './weights.ts'

/** A passage of a record that is ranked in passages. */
export interface RankedPassage {
  /** Its index among the passages of `rankedPassagesOf`. */
  readonly index: number
  /** BM25F score in proportion to the record's best passage, in (0, 1]. */
  readonly score: number
}

/** Ranks by place, best first, with scores in (0, 1]. */
export interface RankedPlaces {
  scored: (Scored & { given?: Given; passages?: readonly RankedPassage[] })[]
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
): RankedPlaces {
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
    return { scored: scored.map((each) => ({ ...each, ...rankPassages(view, scratch, each.place) })), linked }
  } finally {
    clearWalk(scratch, reached)
    clearScores(scratch, words)
  }
}

/** Maximum number of passages of one record that a ranking returns. */
const PASSAGES_MAX = 5

/**
 * Ranks the passages of a record by their words, best first; the passage that the record was ranked by is among them.
 * Returns no passages for a record that is ranked as a whole.
 */
function rankPassages(
  { store }: ScopeView,
  { scores }: Scratch,
  best: number,
): Pick<RankedPlaces['scored'][number], 'passages'> {
  const places = placesOfRecord(store, recordPlaceOf(store, best))
  if (places.length === 1) return {}
  const found = places.filter((place) => scores[place]! > 0 || place === best)
  const order = found.sort((one, other) => scores[other]! - scores[one]! || one - other).slice(0, PASSAGES_MAX)
  const ranked = order.includes(best) ? order : [...order.slice(0, PASSAGES_MAX - 1), best]
  const most = scores[ranked[0]!] || 1
  return {
    passages: ranked.map((place) => ({
      index: store.recordPassages[place]!,
      score: Math.max(LEAST_SCORE, scores[place]! / most),
    })),
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

/** Entities that one name leads to at most; what more share tells none of them apart. */
const OWNERS_MAX = 2
/** Words of a name that nothing owns: a single one may be any word that begins a sentence or a heading. */
const BARE_WORDS_MIN = 2
/** Share of a name's words that are written with capitals from which it is written as a name. */
const CAPITALS_MIN = 0.5

/** Whether it is written as a name, and one or two entities own it or it has two words or more. */
function isWritten({ owners, capitals = 0, words }: LinkedName): boolean {
  if (owners.length > OWNERS_MAX || capitals < CAPITALS_MIN) return false
  return owners.length > 0 || words >= BARE_WORDS_MIN
}

/**
 * How far names may lead rather than words, from 0 to 1: by how rare the rarest is, and by how much of the question
 * names explain that are written as such. A question whose words no record holds has its names alone.
 */
export function nameReach(
  linked: Linked,
  terms: readonly Pick<ScoredTerm, 'position' | 'idf'>[],
  weights: Weights,
): number {
  const total = idfSum(terms)
  if (linked.certainty === 0) return 0
  if (total === 0) return 1
  const idfs = new Map(terms.map(({ position, idf }) => [position, idf]))
  const explained = new Map<number, number>()
  for (const name of linked.names.filter(isWritten)) {
    for (const position of name.terms) {
      const idf = (idfs.get(position) ?? 0) * name.telling
      explained.set(position, Math.max(explained.get(position) ?? 0, idf))
    }
  }
  let logit = weights.namesBase
  for (const idf of explained.values()) logit += (weights.namesWritten * idf) / total
  return (brevity(weights, terms.length) * linked.certainty) / (1 + Math.exp(-logit))
}

/** The same of a question as it is asked in a scope. */
export function questionReach(view: ScopeView, question: Question): number {
  return nameReach(linkQuestion(view, question), termsInScope(view, question), WEIGHTS)
}

/** A record in an answer. */
export interface RankedRecord {
  id: string
  /** In (0, 1], the first record's being 1; never greater than the one before. */
  score: number
  /** Entities that the record is about, the most telling first. */
  entityIds: string[]
  /** Entities that the question names and the record holds. */
  matched: string[]
  /** What each signal gave, when asked for. */
  given?: Given
  /** The best passages of a record that is ranked in passages, best first. */
  passages?: readonly RankedPassage[]
}

/** Entities that an answer names for a record. */
const ENTITIES_SHOWN = 12

/** The entities a record holds: its own first, then the rarest and most mentioned. */
export function tellingEntities(view: ScopeView, place: number): string[] {
  const { entityTable } = view.store
  return linksOf(view, place)
    .filter(({ node }) => node.entity >= 0)
    .map(({ node, units, isOwn }) => ({
      id: idAt(entityTable, node.entity)!,
      isOwn,
      weight: Math.sqrt(units) * node.idf,
    }))
    .sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || b.weight - a.weight)
    .map(({ id }) => id)
}

/** A record as an answer gives it, with what the question named of it. */
export function toRanked(view: ScopeView, { place, score }: Scored, linked: Linked | undefined): RankedRecord {
  const { entityTable } = view.store
  // A passage holds what it names; what its record declares stands with the first one.
  const places = [...new Set([place, recordPlaceOf(view.store, place)])]
  const links = linked === undefined ? [] : places.flatMap((each) => linksOf(view, each))
  const matched = links.flatMap(({ node }) => (linked?.nodes.has(node) ? (idAt(entityTable, node.entity) ?? []) : []))
  const telling = places.flatMap((each) => tellingEntities(view, each))
  return {
    id: recordIdAt(view.store, place),
    score,
    entityIds: [...new Set(telling)].slice(0, ENTITIES_SHOWN),
    matched: [...new Set(matched)],
  }
}

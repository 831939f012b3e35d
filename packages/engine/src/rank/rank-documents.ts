import type { Question } from '../understand/analyse-question.ts'
import type { QuestionTimes } from '../understand/find-times.ts'
import { clearScores, type ScoredTerm, type Scratch, scoreWords, termsInScope, type WordScores } from './bm25.ts'
import { type FusedScore, fuse, type SignalContributions } from './fuse.ts'
import { idAt } from './id-table.ts'
import { type LinkedName, type LinkedQuestion, linkQuestion } from './linking.ts'
import { linksOf } from './links.ts'
import { clearPageRank, runPageRank, teleportVectorOf } from './page-rank.ts'
import { docIdsOfRecord, onePerRecord, recordDocId, recordIdAt, type Scored, topRecords } from './record-doc-ids.ts'
import type { ScopeView } from './scope-view.ts'
import { scoreTogether } from './signals/conversation.ts'
import { demoteCopies } from './signals/copies.ts'
import { idfSum, type SignalName } from './signals/signal.ts'
import { timeWeight, weigh } from './time-weight.ts'
import { rankTimes } from './times.ts'
import { brevityFactor, WEIGHTS, type Weights } from './weights.ts'

/** A ranked passage of a record that is split into passages. */
export interface RankedPassage {
  /** Index among the passages of `rankedPassagesOf`. */
  readonly index: number
  /** BM25F score relative to the record's best passage, in (0, 1]. */
  readonly score: number
}

/** Ranked document ordinals, best first, with scores in (0, 1]. */
interface RankedDocuments {
  scored: (Scored & { given?: SignalContributions; passages?: readonly RankedPassage[] })[]
  linked: LinkedQuestion
}

export interface RankOptions {
  /** Signals to disable. If `time` is disabled, the time range of the question is ignored. */
  without?: readonly SignalName[]
  /** True if each record includes the contributions of the signals. */
  explain?: boolean
  /** Weights that override the defaults. */
  weights?: Partial<Weights>
}

/** Minimum weight of names for PageRank to run. With less weight it would hardly change the order. */
const NAME_WEIGHT_MIN = 0.02
const LEAST_SCORE = 1e-6

/**
 * Scales scores to (0, 1] and makes them non-increasing in the given order. If no record has a score, all get the
 * minimum score.
 */
function normalised<T extends Scored>(scored: readonly T[]): T[] {
  const greatest = scored[0]?.score || 1
  let ceiling = 1
  return scored.map((each) => {
    ceiling = Math.min(ceiling, Math.max(LEAST_SCORE, each.score / greatest))
    return { ...each, score: ceiling }
  })
}

/** Appends records that were found only by PageRank or only by words, with scores below the last one. */
function fill(
  { store }: ScopeView,
  scratch: Scratch,
  reached: readonly number[],
  words: WordScores,
  top: FusedScore[],
  limit: number,
): FusedScore[] {
  const shown = new Set(top.map(({ docId }) => recordDocId(store, docId)))
  const others: Scored[] = []
  const take = (found: readonly Scored[], scale: number): void => {
    for (const { docId, score } of found) {
      const record = recordDocId(store, docId)
      if (shown.has(record)) continue
      shown.add(record)
      others.push({ docId, score: score * scale })
    }
  }
  take(topRecords(store, reached, reached.length, scratch.graphScores, limit), 1)
  if (shown.size < limit) take(topRecords(store, scratch.touched, words.touched, scratch.scores, limit), 0)
  const least = top.at(-1)?.score ?? 1
  const below = normalised(others).map(({ docId, score }) => ({ docId, score: Math.max(LEAST_SCORE, score * least) }))
  return [...top, ...below].slice(0, limit)
}

/**
 * Ranks the scope's records for a question by words, names and links between records. Records in the time range precede
 * others that match equally well. If the question asks about a time and nothing else, `rankTimes` ranks the records of
 * that time.
 */
export function rankDocuments(
  view: ScopeView,
  scratch: Scratch,
  question: Question,
  limit: number,
  time?: QuestionTimes,
  { without = [], explain = false, weights: overrides }: RankOptions = {},
): RankedDocuments {
  const weights = { ...WEIGHTS, ...overrides }
  const isOn = (name: SignalName) => !without.includes(name)
  const activeTime = isOn('time') ? time : undefined
  const weightOf = timeWeight(view, activeTime)
  const linked = linkQuestion(view, question)
  if (activeTime?.isAll) return { scored: normalised(rankTimes(view, scratch, activeTime, limit)), linked }
  let words = scoreWords(view, scratch, question, weightOf)
  let reached: readonly number[] = []
  try {
    if (isOn('conversation')) words = scoreTogether(view, scratch, words, linked, weightOf)
    const nameWeightOrNone = isOn('names') ? weightOfNames(linked, words.terms, weights) : 0
    const nameWeight = nameWeightOrNone < NAME_WEIGHT_MIN ? 0 : nameWeightOrNone
    if (nameWeight > 0) reached = runPageRank(view, scratch, teleportVectorOf(view, scratch, words, linked))
    weigh(reached, reached.length, scratch.graphScores, weightOf)
    const ranked = { view, scratch, words, linked, weights, weightOf }
    const found = onePerRecord(view.store, fuse(ranked, { nameWeight, reached, isOn, explain }))
    const top = normalised(isOn('copies') ? demoteCopies(view, scratch, found) : found)
    const scored = limit <= top.length ? top.slice(0, limit) : fill(view, scratch, reached, words, top, limit)
    return { scored: scored.map((each) => ({ ...each, ...rankPassages(view, scratch, each.docId) })), linked }
  } finally {
    clearPageRank(scratch, reached)
    clearScores(scratch, words)
  }
}

/** Maximum number of passages of one record that a ranking returns. */
const PASSAGES_MAX = 5

/**
 * Ranks the passages of a record by their word scores, best first. Always includes `best`, the passage that gave the
 * record its rank. Returns none for a record that is a single passage.
 */
function rankPassages(
  { store }: ScopeView,
  { scores }: Scratch,
  best: number,
): Pick<RankedDocuments['scored'][number], 'passages'> {
  const docIds = docIdsOfRecord(store, recordDocId(store, best))
  if (docIds.length === 1) return {}
  const found = docIds.filter((docId) => scores[docId]! > 0 || docId === best)
  const order = found.sort((one, other) => scores[other]! - scores[one]! || one - other).slice(0, PASSAGES_MAX)
  const ranked = order.includes(best) ? order : [...order.slice(0, PASSAGES_MAX - 1), best]
  const most = scores[ranked[0]!] || 1
  return {
    passages: ranked.map((docId) => ({
      index: store.recordPassages[docId]!,
      score: Math.max(LEAST_SCORE, scores[docId]! / most),
    })),
  }
}

/** Ranks by BM25F only. It is the baseline that shows the gain of the signals. */
export function rankByWords(view: ScopeView, scratch: Scratch, question: Question, limit: number): Scored[] {
  const words = scoreWords(view, scratch, question, timeWeight(view, undefined))
  try {
    return normalised(topRecords(view.store, scratch.touched, words.touched, scratch.scores, limit))
  } finally {
    clearScores(scratch, words)
  }
}

/** Maximum number of owners of a name that counts as written like a name. */
const OWNERS_MAX = 2
/** Minimum number of words of such a name without an owner. A single word may be any word that begins a sentence. */
const BARE_WORDS_MIN = 2
/** Minimum share of capitalized words in a name that counts as capitalized. */
const CAPITALS_MIN = 0.5

/** Returns true if the name is capitalized and either has one or two owners or consists of at least two words. */
function isWrittenAsName({ owners, capitals = 0, words }: LinkedName): boolean {
  if (owners.length > OWNERS_MAX || capitals < CAPITALS_MIN) return false
  return owners.length > 0 || words >= BARE_WORDS_MIN
}

/**
 * Returns the weight of names against words, from 0 to 1. It grows with the rarity of the rarest name, and with the
 * share of the question's idf that capitalized names have. If no record contains the question's words, only names
 * count.
 */
function weightOfNames(
  linked: LinkedQuestion,
  terms: readonly Pick<ScoredTerm, 'position' | 'idf'>[],
  weights: Weights,
): number {
  const total = idfSum(terms)
  if (linked.certainty === 0) return 0
  if (total === 0) return 1
  const idfs = new Map(terms.map(({ position, idf }) => [position, idf]))
  const explained = new Map<number, number>()
  for (const name of linked.names.filter(isWrittenAsName)) {
    for (const position of name.terms) {
      const idf = (idfs.get(position) ?? 0) * name.selectivity
      explained.set(position, Math.max(explained.get(position) ?? 0, idf))
    }
  }
  let logit = weights.namesBase
  for (const idf of explained.values()) logit += (weights.namesWritten * idf) / total
  return (brevityFactor(weights, terms.length) * linked.certainty) / (1 + Math.exp(-logit))
}

export function questionNameWeight(view: ScopeView, question: Question): number {
  return weightOfNames(linkQuestion(view, question), termsInScope(view, question), WEIGHTS)
}

export interface RankedRecord {
  id: string
  /** Score in (0, 1]. The first record has 1, and scores never increase. */
  score: number
  /** Entities that the record is about, the most significant first. */
  entityIds: string[]
  /** Entities that the question names and the record contains. */
  matched: string[]
  /** Contribution of each signal, if requested. */
  given?: SignalContributions
  /** Best passages of a record that is split into passages, best first. */
  passages?: readonly RankedPassage[]
}

/** Maximum number of entities per ranked record. */
const ENTITIES_SHOWN = 12

/** Returns the ids of a record's entities: its own first, the others by rarity and number of mentions. */
export function significantEntities(view: ScopeView, docId: number): string[] {
  const { entityTable } = view.store
  return linksOf(view, docId)
    .filter(({ node }) => node.entity >= 0)
    .map(({ node, units, isOwn }) => ({
      id: idAt(entityTable, node.entity)!,
      isOwn,
      weight: Math.sqrt(units) * node.idf,
    }))
    .sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || b.weight - a.weight)
    .map(({ id }) => id)
}

/** Converts a ranked ordinal to a record id with its entities, including those that the question names. */
export function toRanked(view: ScopeView, { docId, score }: Scored, linked: LinkedQuestion | undefined): RankedRecord {
  const { entityTable } = view.store
  // A passage has the entities that it names. The first passage has those that the record declares.
  const docIds = [...new Set([docId, recordDocId(view.store, docId)])]
  const links = linked === undefined ? [] : docIds.flatMap((each) => linksOf(view, each))
  const matched = links.flatMap(({ node }) => (linked?.nodes.has(node) ? (idAt(entityTable, node.entity) ?? []) : []))
  const significant = docIds.flatMap((each) => significantEntities(view, each))
  return {
    id: recordIdAt(view.store, docId),
    score,
    entityIds: [...new Set(significant)].slice(0, ENTITIES_SHOWN),
    matched: [...new Set(matched)],
  }
}

import { type CandidatePair, isVetoed } from './name-fit.ts'
import type { SubjectCorpus } from './subject-corpus.ts'
import { probabilityOf } from './weights.ts'

/** A candidate pair with its match score, in log-odds. */
export interface ScoredPair extends CandidatePair {
  score: number
  /** Match score plus a term for shared words, which ranks pairs that agree equally. */
  rank: number
  /** Match score plus the margin over the best rival of either subject, in log-odds. */
  confidence: number
}

/** Two subjects that are merged. */
export interface MergedPair {
  one: number
  other: number
  score: number
  confidence: number
}

/** Scores any two subjects, even if they are not a candidate pair. */
export interface PairScorer {
  score(one: number, other: number): number
  /** Returns true if identifiers or a person's decision rule out a match. */
  isBarred(one: number, other: number): boolean
}

/** Minimum match score of a merge, in log-odds. A wrong merge is worse than a missed one. */
export const SCORE_MIN = 1
/** Minimum sum of score and margin. A large margin compensates for a lower score. */
export const CONFIDENCE_MIN = 6
/** Minimum difference in rank to the best rival. With less, either of the two could be the match. */
const MARGIN_MIN = 0.25
/** Maximum number of pairs between two clusters whose scores are checked before they are merged. */
const PAIRS_CHECKED_MAX = 64
/** Maximum size of a cluster. A larger one is a category and not an entity. */
const MEMBERS_MAX = 500

/**
 * Clusters subjects greedily, best pairs first. Subjects of a source that lists each entity once are never merged with
 * each other, and between two such sources each subject has at most one partner.
 * @param isDeduplicated returns true if a source lists each entity once
 */
export function* partition(
  corpus: SubjectCorpus,
  pairs: readonly ScoredPair[],
  isDeduplicated: (source: string) => boolean,
  scorer: PairScorer,
): Generator<undefined, MergedPair[]> {
  const { subjects } = corpus
  const sourceOf = (index: number) => subjects[index]!.subject.source
  const clusters = new Map<number, number[]>()
  const leader = subjects.map((_, index) => index)
  const membersOf = (index: number) => clusters.get(leader[index]!) ?? [index]
  const near = yield* pairsBySubject(pairs)
  const merged: MergedPair[] = []

  /** Returns the best rank of a subject with another unmerged subject of the partner's source. */
  const rivalRank = (index: number, partner: number): number => {
    const [ours, theirs] = [sourceOf(index), sourceOf(partner)]
    if (!isDeduplicated(theirs)) return Number.NEGATIVE_INFINITY
    const isFree = (other: number) => !isDeduplicated(ours) || !membersOf(other).some((each) => sourceOf(each) === ours)
    const ranks = near
      .get(index)!
      .filter(({ other }) => other !== partner && sourceOf(other) === theirs && isFree(other))
    return Math.max(...ranks.map(({ rank }) => rank))
  }

  const mayJoin = function* (ours: readonly number[], theirs: readonly number[]): Generator<undefined, boolean> {
    if (ours.length + theirs.length > MEMBERS_MAX) return false
    const sources = new Set(ours.map(sourceOf).filter(isDeduplicated))
    if (theirs.some((index) => sources.has(sourceOf(index)))) return false
    let checked = 0
    let sum = 0
    for (const one of ours) {
      for (const other of theirs) {
        yield
        if (scorer.isBarred(one, other) || isVetoed(corpus, subjects[one]!, subjects[other]!)) return false
        if (checked >= PAIRS_CHECKED_MAX) continue
        checked += 1
        sum += scorer.score(one, other)
      }
    }
    return sum >= 0
  }

  const likely = pairs.filter(({ score, confidence }) => score >= SCORE_MIN || confidence >= CONFIDENCE_MIN)
  likely.sort((a, b) => b.rank - a.rank || a.one - b.one || a.other - b.other)
  yield
  // A rival that has been merged with its own partner no longer competes, so doubtful pairs are checked again.
  for (let pass = 0, before = -1; pass < PASSES_MAX && merged.length > before; pass++) {
    before = merged.length
    for (const { one, other, score, rank, confidence } of likely) {
      yield
      if (leader[one] === leader[other]) continue
      if (rank - Math.max(rivalRank(one, other), rivalRank(other, one)) < MARGIN_MIN) continue
      const [ours, theirs] = [membersOf(one), membersOf(other)]
      if (!(yield* mayJoin(ours, theirs))) continue
      const all = [...ours, ...theirs].sort((a, b) => a - b)
      for (const index of all) leader[index] = all[0]!
      clusters.set(all[0]!, all)
      merged.push({ one, other, score, confidence })
    }
  }
  return merged
}

/** Maximum number of passes over doubtful pairs. */
const PASSES_MAX = 4

/** Returns for each subject the others that it is paired with. */
function* pairsBySubject(
  pairs: readonly RankedPair[],
): Generator<undefined, Map<number, { other: number; rank: number }[]>> {
  const near = new Map<number, { other: number; rank: number }[]>()
  const note = (index: number, other: number, rank: number) => {
    const list = near.get(index)
    if (list) list.push({ other, rank })
    else near.set(index, [{ other, rank }])
  }
  for (const { one, other, rank } of pairs) {
    note(one, other, rank)
    note(other, one, rank)
    yield
  }
  return near
}

type RankedPair = Pick<CandidatePair, 'one' | 'other'> & { rank: number }

/** Candidate pairs among which margins are computed. */
interface MarginInput {
  pairs: readonly RankedPair[]
  sourceOf(index: number): string
}

/** Creates a function that returns a pair's rank minus that of the best rival; undefined without a rival. */
export function* createMargin(
  { pairs, sourceOf }: MarginInput,
  leaderOf: (index: number) => number,
): Generator<undefined, (pair: RankedPair) => number | undefined> {
  const near = yield* pairsBySubject(pairs)
  const rivalRank = (index: number, partner: number): number => {
    const own = [leaderOf(index), leaderOf(partner)]
    let most = Number.NEGATIVE_INFINITY
    for (const { other: third, rank } of near.get(index) ?? []) {
      if (sourceOf(third) === sourceOf(partner) && !own.includes(leaderOf(third))) most = Math.max(most, rank)
    }
    return most
  }
  return ({ one, other, rank }) => {
    const rival = Math.max(rivalRank(one, other), rivalRank(other, one))
    return Number.isFinite(rival) ? rank - rival : undefined
  }
}

/** A possible match with its probability. */
export interface SuggestedPair {
  one: number
  other: number
  probability: number
}

export interface SuggestionInput {
  /** All compared pairs whose comparison did not fail. Pairs whose names differ are included. */
  pairs: readonly Omit<ScoredPair, 'confidence'>[]
  merged: readonly Pick<MergedPair, 'one' | 'other'>[]
  /** True if the weights were learned from many pairs; otherwise they are the defaults. */
  isLearned: boolean
  sourceOf(index: number): string
  /** Returns true if two subjects of one source may be duplicates, although the source lists most entities once. */
  isDuplicate(one: number, other: number): boolean
  /** Returns true if a source lists each entity once. A subject with a partner in it gets no suggestion there. */
  isDeduplicated(source: string): boolean
  /** Returns the cosine similarity of the names. */
  nameSimilarity(one: number, other: number): number
  /** Returns true if a match is ruled out. */
  isBarred(one: number, other: number): boolean
}

/**
 * Logistic regression for the probability that an unmerged pair with a positive margin is a match. Fitted on the
 * labeled sets of `bench:er` with equal weight per set. On held-out sets it gives 193 right and 4 wrong suggestions
 * (products), 656 and 281 (products of two shops with different descriptions), 75 and 9 (papers).
 */
const LIKELY = { base: -0.34, ofScore: 0.0375, ofMargin: 0.1025, scoreMax: 12, marginMax: 8 }
/** Minimum probability of a suggestion. Above it, more suggestions are right than wrong on the sets above. */
const PROBABILITY_MIN = 0.3
/** Minimum score, and minimum similarity of the names. Weaker pairs were unreliable on every data set. */
const SUGGEST_SCORE_MIN = -6
const NAME_SIMILARITY_MIN = 0.2
/** Minimum score with default weights, whose score is the log-odds of a match. */
const DEFAULT_SCORE_MIN = 0

/**
 * Returns the pairs for a person to decide, most probable first. Each pair is the best remaining match of both
 * subjects, and each entity is in at most one pair. Yields often, so that the caller can run other work.
 */
export function* suggestedPairs(input: SuggestionInput): Generator<undefined, SuggestedPair[]> {
  const { pairs, merged, isLearned, sourceOf, isDuplicate, isDeduplicated, nameSimilarity, isBarred } = input
  const leaderOf = createLeaderOf(merged)
  const inSource = (leader: number, index: number) => `${leader} ${sourceOf(index)}`
  yield
  const marginOf = yield* createMargin(input, leaderOf)
  const partnered = new Set(
    merged.flatMap(({ one, other }) => [one, other]).map((index) => inSource(leaderOf(index), index)),
  )
  const hasPartner = (index: number, other: number) =>
    isDeduplicated(sourceOf(other)) &&
    (sourceOf(index) === sourceOf(other) ? !isDuplicate(index, other) : partnered.has(inSource(leaderOf(index), other)))
  const likely: SuggestedPair[] = []
  for (const pair of pairs) {
    yield
    const { one, other, score } = pair
    if (score < (isLearned ? SUGGEST_SCORE_MIN : DEFAULT_SCORE_MIN) || leaderOf(one) === leaderOf(other)) continue
    if (hasPartner(one, other) || hasPartner(other, one)) continue
    if (nameSimilarity(one, other) < NAME_SIMILARITY_MIN) continue
    const margin = marginOf(pair)
    const probability = isLearned ? likelihoodOf(score, margin ?? 0) : probabilityOf(score)
    if (probability < PROBABILITY_MIN || (margin !== undefined && margin <= 0) || isBarred(one, other)) continue
    likely.push({ one, other, probability })
  }
  likely.sort((a, b) => b.probability - a.probability || a.one - b.one || a.other - b.other)
  const taken = new Set<number>()
  return likely.filter(({ one, other }) => {
    const both = [leaderOf(one), leaderOf(other)]
    if (both.some((index) => taken.has(index))) return false
    for (const index of both) taken.add(index)
    return true
  })
}

function likelihoodOf(score: number, margin: number): number {
  const { base, ofScore, ofMargin, scoreMax, marginMax } = LIKELY
  const clipped = Math.max(-scoreMax, Math.min(scoreMax, score))
  return probabilityOf(base + ofScore * clipped + ofMargin * Math.min(marginMax, margin))
}

/** Creates a function that returns the first subject of a merged cluster. */
function createLeaderOf(merged: SuggestionInput['merged']): (index: number) => number {
  const leader = new Map<number, number>()
  const leaderOf = (index: number): number => {
    let at = index
    for (let next = leader.get(at); next !== undefined; next = leader.get(at)) at = next
    return at
  }
  for (const { one, other } of merged) {
    const [low, high] = [leaderOf(one), leaderOf(other)].sort((a, b) => a - b) as [number, number]
    if (low !== high) leader.set(high, low)
  }
  return leaderOf
}

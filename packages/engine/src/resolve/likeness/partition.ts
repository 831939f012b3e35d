import { type CandidatePair, isVetoed } from './name-fit.ts'
import type { Population } from './population.ts'
import { probabilityOf } from './weights.ts'

/** A candidate pair with the logarithm of its odds. */
export interface ScoredPair extends CandidatePair {
  score: number
  /** The score, finer: of pairs that agree in the same way the one with more words in common ranks first. */
  rank: number
  /** How sure the pair is: its score, and how far it ranks ahead of what else either of its two is like. */
  sureness: number
}

/** Two subjects that are taken for one. */
export interface Join {
  one: number
  other: number
  score: number
  sureness: number
}

/** What is known of any two subjects, candidates or not. */
export interface Judge {
  score(one: number, other: number): number
  /** Whether they cannot be one for a reason from outside: identifiers, or a person. */
  isBarred(one: number, other: number): boolean
}

/** Logarithm of the odds from which two are taken for one: a wrong merge is worse than a missed one. */
export const SCORE_MIN = 1
/** A lower score is outweighed where nothing else that either is like comes near. */
export const SURENESS_MIN = 6
/** A rival that fits nearly as well makes it a guess which of the two is meant. */
const MARGIN_MIN = 0.25
/** Pairs of two clusters whose scores are looked at before they become one. */
const PAIRS_CHECKED_MAX = 64
/** Things that become one: what would be more is no thing but a kind of things. */
const MEMBERS_MAX = 500

/**
 * Joins subjects by their best pairs first. A source that tells its things apart keeps them apart: none of its subjects
 * join each other, and of two such sources each subject has at most one partner.
 * @param keepsApart whether a source holds each thing once
 */
export function* partition(
  population: Population,
  pairs: readonly ScoredPair[],
  keepsApart: (source: string) => boolean,
  judge: Judge,
): Generator<undefined, Join[]> {
  const { subjects } = population
  const sourceOf = (place: number) => subjects[place]!.subject.source
  const clusters = new Map<number, number[]>()
  const leader = subjects.map((_, place) => place)
  const membersOf = (place: number) => clusters.get(leader[place]!) ?? [place]
  const near = yield* nearOf(pairs)
  const joins: Join[] = []

  /** The best rank that a subject has with another free one of its partner's source. */
  const rivalRank = (place: number, partner: number): number => {
    const [ours, theirs] = [sourceOf(place), sourceOf(partner)]
    if (!keepsApart(theirs)) return Number.NEGATIVE_INFINITY
    const isFree = (other: number) => !keepsApart(ours) || !membersOf(other).some((each) => sourceOf(each) === ours)
    const ranks = near
      .get(place)!
      .filter(({ other }) => other !== partner && sourceOf(other) === theirs && isFree(other))
    return Math.max(...ranks.map(({ rank }) => rank))
  }

  const mayJoin = function* (ours: readonly number[], theirs: readonly number[]): Generator<undefined, boolean> {
    if (ours.length + theirs.length > MEMBERS_MAX) return false
    const sources = new Set(ours.map(sourceOf).filter(keepsApart))
    if (theirs.some((place) => sources.has(sourceOf(place)))) return false
    let checked = 0
    let sum = 0
    for (const one of ours) {
      for (const other of theirs) {
        yield
        if (judge.isBarred(one, other) || isVetoed(population, subjects[one]!, subjects[other]!)) return false
        if (checked >= PAIRS_CHECKED_MAX) continue
        checked += 1
        sum += judge.score(one, other)
      }
    }
    return sum >= 0
  }

  const likely = pairs.filter(({ score, sureness }) => score >= SCORE_MIN || sureness >= SURENESS_MIN)
  likely.sort((a, b) => b.rank - a.rank || a.one - b.one || a.other - b.other)
  yield
  // A rival that finds its own partner is none any more, so those that were in doubt are looked at again.
  for (let pass = 0, before = -1; pass < PASSES_MAX && joins.length > before; pass++) {
    before = joins.length
    for (const { one, other, score, rank, sureness } of likely) {
      yield
      if (leader[one] === leader[other]) continue
      if (rank - Math.max(rivalRank(one, other), rivalRank(other, one)) < MARGIN_MIN) continue
      const [ours, theirs] = [membersOf(one), membersOf(other)]
      if (!(yield* mayJoin(ours, theirs))) continue
      const all = [...ours, ...theirs].sort((a, b) => a - b)
      for (const place of all) leader[place] = all[0]!
      clusters.set(all[0]!, all)
      joins.push({ one, other, score, sureness })
    }
  }
  return joins
}

/** Times that pairs in doubt are looked at. */
const PASSES_MAX = 4

/** The others that each subject is paired with. */
function* nearOf(pairs: readonly ScoredPair[]): Generator<undefined, Map<number, { other: number; rank: number }[]>> {
  const near = new Map<number, { other: number; rank: number }[]>()
  const note = (place: number, other: number, rank: number) => {
    const list = near.get(place)
    if (list) list.push({ other, rank })
    else near.set(place, [{ other, rank }])
  }
  for (const { one, other, rank } of pairs) {
    note(one, other, rank)
    note(other, one, rank)
    yield
  }
  return near
}

/** A candidate pair and how high it ranks. */
type RankedPair = Pick<CandidatePair, 'one' | 'other'> & { rank: number }

/** What pairs compete with each other. */
interface LeadGround {
  pairs: readonly RankedPair[]
  sourceOf(place: number): string
}

/**
 * How far a pair ranks ahead of what else either of its two is most like in the source of the other; undefined where
 * there is nothing else.
 */
export function* createLead(
  { pairs, sourceOf }: LeadGround,
  leaderOf: (place: number) => number,
): Generator<undefined, (pair: RankedPair) => number | undefined> {
  const near = new Map<number, { third: number; rank: number }[]>()
  const note = (place: number, third: number, rank: number) => {
    const list = near.get(place)
    if (list) list.push({ third, rank })
    else near.set(place, [{ third, rank }])
  }
  for (const { one, other, rank } of pairs) {
    note(one, other, rank)
    note(other, one, rank)
    yield
  }
  const rivalRank = (place: number, partner: number): number => {
    const own = [leaderOf(place), leaderOf(partner)]
    let most = Number.NEGATIVE_INFINITY
    for (const { third, rank } of near.get(place) ?? []) {
      if (sourceOf(third) === sourceOf(partner) && !own.includes(leaderOf(third))) most = Math.max(most, rank)
    }
    return most
  }
  return ({ one, other, rank }) => {
    const rival = Math.max(rivalRank(one, other), rivalRank(other, one))
    return Number.isFinite(rival) ? rank - rival : undefined
  }
}

/** Two that may be one, and how likely that is. */
export interface Suggested {
  one: number
  other: number
  /** From 0 to 1. */
  probability: number
}

/** What is suggested from. */
export interface SuggestGround {
  /** All pairs that were compared and are not known to be two, but for what their names show. */
  pairs: readonly Omit<ScoredPair, 'sureness'>[]
  joins: readonly Pick<Join, 'one' | 'other'>[]
  /** Whether the scores come from what many pairs showed; of few there is but what experience has. */
  isLearned: boolean
  sourceOf(place: number): string
  /** Whether two of one source may be a thing that it holds twice, though it holds most once. */
  isDouble(one: number, other: number): boolean
  /** Whether a source holds each thing once: of what has a partner in it no other is suggested. */
  keepsApart(source: string): boolean
  /** The cosine of the names. */
  nameLikeness(one: number, other: number): number
  /** Whether something rules out that the two are one. */
  isBarred(one: number, other: number): boolean
}

/**
 * How likely a pair is one that is not merged and is what is most like either of its two: a logistic regression on the
 * labelled sets that `bench:er` knows, each with the same weight. On sets that were left out it gives 193 right and 4
 * wrong suggestions (products), 656 and 281 (products of two shops that write much differently), 75 and 9 (papers).
 */
const LIKELY = { base: -0.34, ofScore: 0.0375, ofLead: 0.1025, scoreMax: 12, leadMax: 8 }
/** From which probability on a pair is suggested: with it more are right than wrong on the sets above. */
const PROBABILITY_MIN = 0.3
/** What agrees in less, or has less of its name in common, was no sound ground on any set. */
const SUGGEST_SCORE_MIN = -6
const NAME_LIKENESS_MIN = 0.2
/** What experience has says how likely a pair is by itself. */
const USUAL_SCORE_MIN = 0

/**
 * The pairs that a person may decide on, the likeliest first: each is what is most like either of its two, of what is
 * not one already, and each thing is in one at most. Yields often, so that the caller can let other work in.
 */
export function* suggestedPairs(ground: SuggestGround): Generator<undefined, Suggested[]> {
  const { pairs, joins, isLearned, sourceOf, isDouble, keepsApart, nameLikeness, isBarred } = ground
  const leaderOf = leaders(joins)
  const inSource = (leader: number, place: number) => `${leader} ${sourceOf(place)}`
  yield
  const leadOf = yield* createLead(ground, leaderOf)
  const partnered = new Set(
    joins.flatMap(({ one, other }) => [one, other]).map((place) => inSource(leaderOf(place), place)),
  )
  const hasPartner = (place: number, other: number) =>
    keepsApart(sourceOf(other)) &&
    (sourceOf(place) === sourceOf(other) ? !isDouble(place, other) : partnered.has(inSource(leaderOf(place), other)))
  const likely: Suggested[] = []
  for (const pair of pairs) {
    yield
    const { one, other, score } = pair
    if (score < (isLearned ? SUGGEST_SCORE_MIN : USUAL_SCORE_MIN) || leaderOf(one) === leaderOf(other)) continue
    if (hasPartner(one, other) || hasPartner(other, one)) continue
    if (nameLikeness(one, other) < NAME_LIKENESS_MIN) continue
    const lead = leadOf(pair)
    const probability = isLearned ? likelihoodOf(score, lead ?? 0) : probabilityOf(score)
    if (probability < PROBABILITY_MIN || (lead !== undefined && lead <= 0) || isBarred(one, other)) continue
    likely.push({ one, other, probability })
  }
  likely.sort((a, b) => b.probability - a.probability || a.one - b.one || a.other - b.other)
  const taken = new Set<number>()
  return likely.filter(({ one, other }) => {
    const both = [leaderOf(one), leaderOf(other)]
    if (both.some((place) => taken.has(place))) return false
    for (const place of both) taken.add(place)
    return true
  })
}

function likelihoodOf(score: number, lead: number): number {
  const { base, ofScore, ofLead, scoreMax, leadMax } = LIKELY
  const clipped = Math.max(-scoreMax, Math.min(scoreMax, score))
  return probabilityOf(base + ofScore * clipped + ofLead * Math.min(leadMax, lead))
}

/** The first of those that joins make one. */
function leaders(joins: SuggestGround['joins']): (place: number) => number {
  const leader = new Map<number, number>()
  const leaderOf = (place: number): number => {
    let at = place
    for (let next = leader.get(at); next !== undefined; next = leader.get(at)) at = next
    return at
  }
  for (const { one, other } of joins) {
    const [low, high] = [leaderOf(one), leaderOf(other)].sort((a, b) => a - b) as [number, number]
    if (low !== high) leader.set(high, low)
  }
  return leaderOf
}

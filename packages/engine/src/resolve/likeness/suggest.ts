import { createLead } from './lead.ts'
import type { Join, ScoredPair } from './partition.ts'
import { probabilityOf } from './weights.ts'

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
  /** Whether two cannot be one whatever else agrees. */
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
const SCORE_MIN = -6
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
    if (score < (isLearned ? SCORE_MIN : USUAL_SCORE_MIN) || leaderOf(one) === leaderOf(other)) continue
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

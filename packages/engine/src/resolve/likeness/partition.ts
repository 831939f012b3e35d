import type { Candidate } from './candidates.ts'
import type { Population } from './population.ts'
import { isVetoed } from './veto.ts'

/** A candidate pair with the logarithm of its odds. */
export interface ScoredPair extends Candidate {
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

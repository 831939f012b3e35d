import type { Join, ScoredPair } from './partition.ts'

/** From this share of joins on that are closer than anything at home each must be: the data tells things apart. */
const CLEAR_SHARE = 0.7
/** Below this share the nearest of two sources are no closer than siblings: most of them are two things. */
const DOUBTFUL_SHARE = 0.3
/** Two sources that share fewer of their things, as far as found, are looked at more strictly. */
const OVERLAP_SHARE = 0.4
/** In doubt what experience says decidedly against is not one. */
const USUAL_SCORE_MIN = -3

/** What a join between two sources is judged by. */
export interface TrustGround {
  pairs: readonly ScoredPair[]
  /** How many things each source has. */
  sizes: ReadonlyMap<string, number>
  sourceOf(place: number): string
  /** The score that experience gives a pair, whatever the data taught. */
  usualScore(one: number, other: number): number
}

/**
 * The joins between sources that hold up against what the sources hold themselves. Where no two things are one, the
 * data still teaches to take the nearest for it; but then they are no closer than siblings within one source.
 */
export function trustedJoins(joins: readonly Join[], { pairs, sizes, sourceOf, usualScore }: TrustGround): Join[] {
  const atHome = new Map<number, number>()
  const ranks = new Map<string, number>()
  for (const { one, other, rank } of pairs) {
    ranks.set(`${one} ${other}`, rank)
    if (sourceOf(one) !== sourceOf(other)) continue
    for (const place of [one, other]) atHome.set(place, Math.max(atHome.get(place) ?? Number.NEGATIVE_INFINITY, rank))
  }
  const isCloser = ({ one, other }: Join): boolean => {
    const siblings = [one, other].map((place) => atHome.get(place) ?? Number.NEGATIVE_INFINITY)
    return ranks.get(`${one} ${other}`)! > Math.max(...siblings)
  }
  const between = joins.filter(({ one, other }) => sourceOf(one) !== sourceOf(other))
  const closer = between.filter(isCloser).length / Math.max(1, between.length)
  const smaller = [...sizes.values()].sort((a, b) => b - a)[1] ?? 0
  const isOverlap = between.length >= OVERLAP_SHARE * smaller
  return joins.filter((join) => {
    if (sourceOf(join.one) === sourceOf(join.other)) return true
    if (closer >= CLEAR_SHARE && !isCloser(join)) return false
    if (closer >= DOUBTFUL_SHARE && isOverlap) return true
    return usualScore(join.one, join.other) >= USUAL_SCORE_MIN && isCloser(join)
  })
}

import type { Join, ScoredPair } from './partition.ts'

/** Logarithm of the odds from which two that are not taken for one are suggested: as likely one as two. */
const SCORE_MIN = 0

/**
 * The pairs that a person may decide on, the likeliest first: each is what is most like either of its two, of what is
 * not one already.
 * @param isBarred whether two cannot be one for a reason from outside
 */
export function* suggestedPairs(
  pairs: readonly ScoredPair[],
  joins: readonly Join[],
  isBarred: (one: number, other: number) => boolean,
): Generator<undefined, Join[]> {
  const leaderOf = leaders(joins)
  yield
  const open = pairs.filter(({ one, other, score }) => score >= SCORE_MIN && leaderOf(one) !== leaderOf(other))
  open.sort((a, b) => b.rank - a.rank || a.one - b.one || a.other - b.other)
  yield
  const taken = new Set<number>()
  const found: Join[] = []
  for (const { one, other, score } of open) {
    yield
    const [ours, theirs] = [leaderOf(one), leaderOf(other)]
    if (taken.has(ours) || taken.has(theirs) || isBarred(one, other)) continue
    taken.add(ours).add(theirs)
    found.push({ one, other, score })
  }
  return found
}

/** The first of those that joins make one. */
function leaders(joins: readonly Join[]): (place: number) => number {
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

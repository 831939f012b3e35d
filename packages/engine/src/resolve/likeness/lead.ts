import type { Candidate } from './candidates.ts'

/** A candidate pair and how high it ranks. */
export type RankedPair = Pick<Candidate, 'one' | 'other'> & { rank: number }

/** What pairs compete with each other. */
export interface LeadGround {
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

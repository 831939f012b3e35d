/**
 * What became of a delivery: kept, with or without knowledge in it; known, with the same body or another; kept as it
 * came; of an unknown sender; too many; to a source that does not receive; of a form that is not taken; not kept.
 */
const DELIVERY_OUTCOMES = [
  'stored',
  'ignored',
  'duplicate',
  'conflict',
  'unreadable',
  'refused',
  'limited',
  'inactive',
  'invalid',
  'failed',
] as const
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

/** Counts deliveries by provider and outcome since the program began. */
export interface Tally {
  count(provider: string, outcome: DeliveryOutcome): void
  read(): { provider: string; outcome: DeliveryOutcome; count: number }[]
}

/** A fresh tally. */
export function newTally(): Tally {
  const counts = new Map<string, Map<DeliveryOutcome, number>>()
  return {
    count: (provider, outcome) => {
      const own = counts.get(provider) ?? new Map<DeliveryOutcome, number>()
      counts.set(provider, own)
      own.set(outcome, (own.get(outcome) ?? 0) + 1)
    },
    read: () =>
      [...counts].flatMap(([provider, own]) => [...own].map(([outcome, count]) => ({ provider, outcome, count }))),
  }
}

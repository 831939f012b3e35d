/** What became of a delivery. */
export const DELIVERY_OUTCOMES = [
  'stored',
  'ignored',
  'duplicate',
  'conflict',
  'unreadable',
  'refused',
  'limited',
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

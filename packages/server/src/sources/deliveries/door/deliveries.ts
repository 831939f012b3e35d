import type { Planes } from '../../../store/planes.ts'
import { type DeliveryLog, forgetOldDeliveries, openDeliveryLog } from './delivery-log.ts'
import { type DeliveryRates, openDeliveryRates } from './delivery-rates.ts'
import { type DeliverySource, type DeliverySources, openDeliverySources } from './delivery-source.ts'

/** What receiving deliveries needs, opened once. */
export interface Deliveries {
  readonly sources: DeliverySources
  readonly log: DeliveryLog
  readonly tally: Tally
  readonly rates: DeliveryRates
  /** The secret with which the source's provider signs, when there is one. */
  readonly openSigningSecret: OpenSigningSecret
  close(): Promise<void>
}

/** Opens the sealed secret with which a source's provider signs; undefined for a source that has none. */
type OpenSigningSecret = (source: DeliverySource) => Promise<string | undefined>

/** Deliveries that are no longer known are removed this often. */
const SWEEP_MS = 60 * 60_000

/** Opens the door for deliveries. */
export function openDeliveries(
  planes: Pick<Planes, 'sql' | 'clock' | 'log'>,
  openSigningSecret: OpenSigningSecret = async () => undefined,
): Deliveries {
  let sweeping: Promise<void> = Promise.resolve()
  const sweep = () => {
    sweeping = forgetOldDeliveries(planes.sql).catch((error: unknown) => {
      planes.log.warn('old deliveries not removed', { error })
    })
  }
  const timer = setInterval(sweep, SWEEP_MS).unref()
  const rates = openDeliveryRates(planes)
  return {
    sources: openDeliverySources(planes),
    log: openDeliveryLog(planes),
    tally: newTally(),
    rates,
    openSigningSecret,
    close: async () => {
      clearInterval(timer)
      await Promise.all([sweeping, rates.close()])
    },
  }
}

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
interface Tally {
  count(provider: string, outcome: DeliveryOutcome): void
  read(): { provider: string; outcome: DeliveryOutcome; count: number }[]
}

/** A fresh tally. */
function newTally(): Tally {
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

/**
 * Opens signing secrets in a transaction of their tenant, since the role of deliveries reads none. A signing secret is
 * cached with its source. A change made in this process counts at once, one made elsewhere within a second.
 */
export function openSigningSecrets({ sql, secrets }: Pick<Planes, 'sql' | 'secrets'>): OpenSigningSecret {
  const opened = new WeakMap<DeliverySource, Promise<string | undefined>>()
  const open = (source: DeliverySource, ref: string) => {
    const opening = sql.transact(source.userId, (tx) => secrets.find(tx, source, ref))
    opened.set(source, opening)
    // A failure is not remembered.
    opening.catch(() => opened.delete(source))
    return opening
  }
  return async (source) => {
    const { signingSecretRef: ref } = source
    return ref === null ? undefined : (opened.get(source) ?? open(source, ref))
  }
}

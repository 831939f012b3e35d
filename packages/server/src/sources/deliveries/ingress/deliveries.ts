import { repeatedly } from '../../../base/one-at-a-time.ts'
import type { Planes } from '../../../store/planes.ts'
import { type DeliveryLog, openDeliveryLog, removeOldDeliveries } from './delivery-log.ts'
import { type DeliveryRates, openDeliveryRates } from './delivery-rates.ts'
import { type DeliverySource, type DeliverySources, openDeliverySources } from './delivery-source.ts'

/** Dependencies for receiving deliveries, opened once per process. */
export interface Deliveries {
  readonly sources: DeliverySources
  readonly log: DeliveryLog
  readonly tally: Tally
  readonly rates: DeliveryRates
  readonly openSigningSecret: OpenSigningSecret
  close(): Promise<void>
}

/** Returns the decrypted signing secret of a source's provider; undefined for a source without one. */
type OpenSigningSecret = (source: DeliverySource) => Promise<string | undefined>

/** Milliseconds between removals of old deliveries. */
const SWEEP_MS = 60 * 60_000

/** Opens the receiver of deliveries. */
export function openDeliveries(
  planes: Pick<Planes, 'sql' | 'clock' | 'log'>,
  openSigningSecret: OpenSigningSecret = async () => undefined,
): Deliveries {
  const failed = (error: unknown) => planes.log.warn('old deliveries not removed', { error })
  const sweeping = repeatedly(SWEEP_MS, () => removeOldDeliveries(planes.sql), failed)
  const rates = openDeliveryRates(planes)
  return {
    sources: openDeliverySources(planes),
    log: openDeliveryLog(planes),
    tally: newTally(),
    rates,
    openSigningSecret,
    close: async () => {
      await Promise.all([sweeping.stop(), rates.close()])
    },
  }
}

/**
 * Outcomes of a delivery. `stored` and `ignored`: recorded, with or without records. `duplicate` and `conflict`:
 * already known, with the same or another body. `unreadable`: stored as received. `refused`: not authenticated.
 * `limited`: over the rate limit. `inactive`: the source does not receive. `invalid`: unsupported body. `failed`:
 * server error.
 */
export type DeliveryOutcome =
  | ('stored' | 'ignored' | 'duplicate' | 'conflict' | 'unreadable')
  | ('refused' | 'limited' | 'inactive' | 'invalid' | 'failed')

/** Counts deliveries by provider and outcome since the process started. */
type Tally = ReturnType<typeof newTally>

function newTally() {
  const counts = new Map<string, Map<DeliveryOutcome, number>>()
  return {
    count: (provider: string, outcome: DeliveryOutcome) => {
      const own = counts.get(provider) ?? new Map<DeliveryOutcome, number>()
      counts.set(provider, own)
      own.set(outcome, (own.get(outcome) ?? 0) + 1)
    },
    read: () =>
      [...counts].flatMap(([provider, own]) => [...own].map(([outcome, count]) => ({ provider, outcome, count }))),
  }
}

/**
 * Returns a function that reads signing secrets. It uses a transaction of the tenant, because the database role for
 * deliveries cannot read secrets. A signing secret is cached with its source. Changes by this process take effect at
 * once, those by another process within a second.
 */
export function openSigningSecrets({ sql, secrets }: Pick<Planes, 'sql' | 'secrets'>): OpenSigningSecret {
  const opened = new WeakMap<DeliverySource, Promise<string | undefined>>()
  const open = (source: DeliverySource, ref: string) => {
    const opening = sql.transact(source.userId, (tx) => secrets.find(tx, source, ref))
    opened.set(source, opening)
    // A failure is not cached.
    opening.catch(() => opened.delete(source))
    return opening
  }
  return async (source) => {
    const { signingSecretRef: ref } = source
    return ref === null ? undefined : (opened.get(source) ?? open(source, ref))
  }
}

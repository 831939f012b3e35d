import type { Planes } from '../../store/planes.ts'
import { type DeliveryLog, forgetOldDeliveries, openDeliveryLog } from './delivery-log.ts'
import { type DeliveryRates, openDeliveryRates } from './delivery-rates.ts'
import { type DeliverySource, type DeliverySources, openDeliverySources } from './delivery-source.ts'
import { newTally, type Tally } from './tally.ts'

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
export type OpenSigningSecret = (source: DeliverySource) => Promise<string | undefined>

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

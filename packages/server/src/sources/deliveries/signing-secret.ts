import type { Planes } from '../../store/planes.ts'
import type { OpenSigningSecret } from './deliveries.ts'
import type { DeliverySource } from './delivery-source.ts'

/**
 * Opens signing secrets in a transaction of their tenant, since the role of deliveries reads none. A secret is kept as
 * long as the source that was found with it is believed, so a change here counts at once and elsewhere within a second.
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

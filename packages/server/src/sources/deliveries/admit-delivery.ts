import { sameDigest, sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import type { RawBody } from '../../tenancy/handler.ts'
import { connectorFor } from '../connectors/connector-for.ts'
import type { SourcesApp } from '../context.ts'
import type { DeliverySource } from './door/delivery-source.ts'

/** A delivery whose sender proved to be its source's. */
export interface Admitted {
  source: DeliverySource
  /** The body, when the proof needed it. */
  bytes: Buffer | undefined
}

const BEARER = /^Bearer ([\x21-\x7e]{1,1024})$/i
const NO_DIGEST = sha256('')

/**
 * Decides whether the sender may deliver: by the source's secret as a bearer, or in the header that the provider has
 * for it, or by the provider's own signature. A slug that no source has gets the same answer as a wrong
 * secret, after as much was read; of what no signature can prove nothing is kept meanwhile. Throws `unauthorized`.
 */
export async function admitDelivery(app: SourcesApp, slug: string, raw: RawBody): Promise<Admitted> {
  const source = await app.deliveries.sources.find(slug)
  const presented = presentedSecret(source, raw)
  if (presented !== undefined) {
    if (!knowsSecret(source, presented, app.clock.now())) throw new Fault('unauthorized')
    return { source: source as DeliverySource, bytes: undefined }
  }
  if (!source || !hasSignature(source, raw)) {
    await raw.forget()
    throw new Fault('unauthorized')
  }
  const bytes = await raw.bytes()
  if (!(await isSigned(app, source, raw, bytes))) throw new Fault('unauthorized')
  return { source, bytes }
}

function presentedSecret(source: DeliverySource | undefined, { headers }: RawBody): string | undefined {
  const bearer = BEARER.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined) return bearer
  const header = source && connectorFor(source.provider).secretHeader
  return header && headers[header]
}

function knowsSecret(source: DeliverySource | undefined, presented: string, now: Date): boolean {
  const digest = sha256(presented)
  let isKnown = false
  for (const { hash, expiresAt } of source?.secrets ?? [{ hash: NO_DIGEST, expiresAt: null }]) {
    const isLive = expiresAt === null || expiresAt > now
    isKnown = (sameDigest(digest, hash) && isLive && source !== undefined) || isKnown
  }
  return isKnown
}

function hasSignature({ provider }: DeliverySource, { headers }: RawBody): boolean {
  const { signature } = connectorFor(provider)
  return signature !== undefined && headers[signature.header] !== undefined
}

async function isSigned(
  app: SourcesApp,
  source: DeliverySource,
  { headers }: RawBody,
  bytes: Buffer,
): Promise<boolean> {
  const { signature } = connectorFor(source.provider)
  if (!signature) return false
  const secret = await app.deliveries.openSigningSecret(source)
  return secret !== undefined && signature.verify(secret, headers, bytes, app.clock.now().getTime())
}

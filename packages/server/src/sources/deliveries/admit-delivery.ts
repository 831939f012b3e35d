import { sameDigest, sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import type { RawBody } from '../../tenancy/handler.ts'
import { connectorFor } from '../connectors/connector-for.ts'
import type { SourcesApp } from '../context.ts'
import type { DeliverySource } from './ingress/delivery-source.ts'

/** A delivery whose sender is authenticated. */
export interface Admitted {
  source: DeliverySource
  /** The body, if the signature check needed it. */
  bytes: Buffer | undefined
}

const BEARER = /^Bearer ([\x21-\x7e]{1,1024})$/i
const NO_DIGEST = sha256('')

/**
 * Authenticates the sender of a delivery by the source's secret or the provider's signature. The secret is a bearer
 * token or in the provider's own header. An unknown slug gets the same response as a wrong secret, after the same part
 * of the body was read. A body without a usable signature is read but not buffered. Throws `unauthorized`.
 */
export async function admitDelivery(app: SourcesApp, slug: string, raw: RawBody): Promise<Admitted> {
  const source = await app.deliveries.sources.find(slug)
  const presented = presentedSecret(source, raw)
  if (presented !== undefined) {
    if (!knowsSecret(source, presented, app.clock.now())) throw new Fault('unauthorized')
    return { source: source as DeliverySource, bytes: undefined }
  }
  if (!source || !hasSignature(source, raw)) {
    await raw.discard()
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

import { randomBytes } from 'node:crypto'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { hmacSha256 } from '../../base/digest.ts'
import type { Tx } from '../../db/open.ts'
import { type SecretPlace, type SecretStore, secretRef } from '../../tenancy/secrets/secret-store.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Which of an endpoint's two secrets: the present one, or the one before it, in its grace. */
type SecretPurpose = 'signing' | 'previous'

/** A new signing secret, as Standard Webhooks spells one. */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Where in the secret store an endpoint's secret is. */
export function signingRef(webhookId: string, purpose: SecretPurpose): string {
  return secretRef('webhook', webhookId, purpose)
}

/** Forgets both secrets of an endpoint. */
export async function dropSigningSecrets(
  secrets: SecretStore,
  tx: Tx,
  place: SecretPlace,
  webhookId: string,
): Promise<void> {
  for (const purpose of ['signing', 'previous'] as const)
    await secrets.destroy(tx, place, signingRef(webhookId, purpose))
}

/** What of a message its signature covers. */
export interface SignedMessage {
  readonly id: string
  readonly at: Date
  readonly body: string
}

/** The three headers of a message, with one signature for each secret (Standard Webhooks 1.0, HMAC-SHA-256). */
export function signedHeaders({ id, at, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / MS_PER_SECOND))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${hmacSha256(key, `${id}.${timestamp}.${body}`).toString('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

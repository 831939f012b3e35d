import { randomBytes } from 'node:crypto'
import { newToken } from '../../tenancy/accounts/key-format.ts'

const SLUG_BYTES = 16

/** A new address for deliveries. It cannot be guessed, but it opens nothing by itself. */
export function newWebhookSlug(): string {
  return randomBytes(SLUG_BYTES).toString('base64url')
}

/** A new bearer secret of a source's sender. */
export function newWebhookSecret(): string {
  return newToken('webhookSecret')
}

import { sha256 } from '../../base/digest.ts'
import type { Connector, Delivered } from '../connectors/connector.ts'

const ID_CHARS_MAX = 1024

/** What a delivery is known by, as digests, so that the ids and contents of others are not kept. */
export interface DeliveryKeys {
  eventHash: string
  bodyHash: string
}

/**
 * The keys of a delivery: its event by `provider_event_id` in the body, `webhook-id`, what the provider itself has for
 * it, else by the body.
 */
export function deliveryKeys(connector: Connector, delivered: Delivered, bytes: Uint8Array): DeliveryKeys {
  const bodyHash = digest(bytes)
  const id = givenId(delivered.body) ?? delivered.headers['webhook-id'] ?? connector.eventId(delivered)
  return { eventHash: id === undefined || id === '' ? `body.${bodyHash}` : digest(id.slice(0, ID_CHARS_MAX)), bodyHash }
}

function givenId(body: unknown): string | undefined {
  const id = (body as { provider_event_id?: unknown } | null)?.provider_event_id
  return typeof id === 'string' && id !== '' ? id : typeof id === 'number' ? String(id) : undefined
}

function digest(input: string | Uint8Array): string {
  return sha256(input).toString('base64url')
}

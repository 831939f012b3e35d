import { operation } from './operation.ts'
import { Choice, type Static, Type as T } from './schema.ts'

/** The answer to a delivery that is known already, or that asks for an answer. */
export const DeliveryAnswer = T.Object({
  status: T.Optional(Choice(['duplicate', 'challenge'], { description: 'Why there is an answer at all.' })),
  challenge: T.Optional(T.String({ description: 'What the provider sent to see whether this address answers.' })),
})
export type DeliveryAnswer = Static<typeof DeliveryAnswer>

/** The operation that a source’s provider uses. */
export const deliveryOperations = {
  receiveDelivery: operation({
    method: 'POST',
    path: '/api/v1/hooks/:slug',
    tag: 'Deliveries',
    summary: 'Deliver an event of a source’s provider',
    description:
      'The `webhook_url` of a realtime source. Send the source’s secret as `Authorization: Bearer`, or let the ' +
      'provider sign the body with the source’s `provider_signing_secret`. What was answered with 204 is on disk. ' +
      'The same event again within 7 days is answered with 200 and changes nothing; an event is known by ' +
      '`provider_event_id` in the body, `webhook-id`, the provider’s own header or field, else by its body. An event ' +
      'that carries no knowledge is accepted and counted. At most 1 MiB; without the secret every slug is answered ' +
      'with the same 401.',
    access: 'sender',
    audit: { none: 'a delivery leaves its own row, and its job when it is applied' },
    retry: 'safe',
    params: T.Object({ slug: T.String({ description: 'The unguessable part of the source’s webhook_url.' }) }),
    takesBytes: true,
    status: 204,
    otherwise: { status: 200, reply: DeliveryAnswer, when: 'The event is known already, or asks for an answer.' },
    faults: [
      'rate_limited',
      'payload_too_large',
      'unsupported_media_type',
      'validation_error',
      'sandbox_not_active',
      'source_not_active',
      'gone',
    ],
  }),
}

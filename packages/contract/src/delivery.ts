import { operation } from './operation.ts'
import { Choice, Moment, Nullable, Page, ReplyId, type Static, Type as T } from './schema.ts'

/** Response to a duplicate delivery, or to a provider's challenge. */
export const DeliveryAnswer = T.Object({
  status: T.Optional(Choice(['duplicate', 'challenge'], { description: 'Why there is an answer at all.' })),
  challenge: T.Optional(T.String({ description: 'What the provider sent to see whether this address answers.' })),
})
export type DeliveryAnswer = Static<typeof DeliveryAnswer>

/** Outcomes of a delivery. */
export const DELIVERY_FATES = ['queued', 'written', 'unchanged', 'ignored', 'failed'] as const

/** One delivery to a source, for those who manage the source. */
export const SourceDelivery = T.Object({
  delivery_id: ReplyId('delivery', 'The delivery’s id here.'),
  received_at: Moment('When it came.'),
  fate: Choice(DELIVERY_FATES, {
    description:
      '`queued` until its records are applied; `written` when one of them was added, replaced or removed, ' +
      '`unchanged` when all said what was stored; `ignored` when it says nothing that a record could hold; ' +
      '`failed` when a record failed.',
  }),
  reason: Nullable(
    T.String({ description: 'Why, as a stable code: of what was ignored or failed, or is kept as it came.' }),
  ),
  detail: Nullable(T.String({ description: 'The same in a sentence.' })),
  records: T.Integer({ minimum: 0, description: 'Records that it came to.' }),
})
export type SourceDelivery = Static<typeof SourceDelivery>

/** One page of deliveries. */
export const DeliveryPage = Page('deliveries', SourceDelivery)
export type DeliveryPage = Static<typeof DeliveryPage>

/** Operation for a source's provider. */
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
      '`provider_event_id` in the body, `webhook-id`, the provider’s own header or field, else by its body. What is ' +
      'none of the provider’s events is read like any other JSON, when it says something; what says nothing is ' +
      'accepted and kept as ignored. `GET …/sources/{source_id}/deliveries` tells what became of each. ' +
      'At most 1 MiB; without the secret every slug is answered ' +
      'with the same 401.',
    access: 'sender',
    audit: { none: 'a delivery leaves its own row, and its job when it is applied' },
    retry: 'safe',
    params: T.Object({ slug: T.String({ description: 'The unguessable part of the source’s webhook_url.' }) }),
    body: { bytes: true },
    status: 204,
    reply: {
      otherwise: { status: 200, json: DeliveryAnswer, when: 'The event is known already, or asks for an answer.' },
    },
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

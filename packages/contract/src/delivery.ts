import { operation } from './operation.ts'
import { Choice, Moment, Nullable, Page, ReplyId, type Static, Type as T } from './schema.ts'

/** Response to a duplicate delivery, or to a provider's challenge. */
export const DeliveryAnswer = T.Object({
  status: T.Optional(Choice(['duplicate', 'challenge'], { description: 'The reason for the response body.' })),
  challenge: T.Optional(T.String({ description: 'The challenge with which the provider verifies this address.' })),
})
export type DeliveryAnswer = Static<typeof DeliveryAnswer>

export const DELIVERY_STATES = ['queued', 'written', 'unchanged', 'ignored', 'failed'] as const

/** One delivery to a source, for those who manage the source. */
export const SourceDelivery = T.Object({
  delivery_id: ReplyId('delivery', 'The delivery’s id here.'),
  received_at: Moment('When it arrived.'),
  fate: Choice(DELIVERY_STATES, {
    description:
      '`queued` until its records are applied; `written` if at least one was added, replaced or removed; ' +
      '`unchanged` if all equal the stored ones; `ignored` if it contains nothing that makes a record; ' +
      '`failed` if a record failed.',
  }),
  reason: Nullable(
    T.String({ description: 'The reason for `ignored`, `failed` or storing the event as it is, as a stable code.' }),
  ),
  detail: Nullable(T.String({ description: 'The reason in a sentence.' })),
  records: T.Integer({ minimum: 0, description: 'Number of its records.' }),
})
export type SourceDelivery = Static<typeof SourceDelivery>

export const DeliveryPage = Page('deliveries', SourceDelivery)
export type DeliveryPage = Static<typeof DeliveryPage>

/** Operation for a source's provider. */
export const deliveryOperations = {
  receiveDelivery: operation({
    method: 'POST',
    path: '/api/v1/hooks/:slug',
    tag: 'Deliveries',
    summary: 'Deliver an event from a source’s provider',
    description:
      'This is the `webhook_url` of a realtime source. Send the source’s secret as `Authorization: Bearer`, or let ' +
      'the provider sign the body with the source’s `provider_signing_secret`. A 204 means that the event is durably ' +
      'stored. A repeat of an event within 7 days gets 200 and changes nothing. Events are identified by ' +
      '`provider_event_id` in the body, `webhook-id`, the provider’s own header or field, or else by the body. A ' +
      'body that is not a known event of the provider is read as generic JSON; one without content is ' +
      'accepted and recorded as ignored. `GET …/sources/{source_id}/deliveries` shows the state of each delivery. ' +
      'The body has at most 1 MiB. Without the secret, every slug gets ' +
      'the same 401.',
    access: 'sender',
    audit: { none: 'a delivery leaves its own row, and its job when it is applied' },
    retry: 'safe',
    params: T.Object({ slug: T.String({ description: 'The unguessable part of the source’s webhook_url.' }) }),
    body: { bytes: true },
    status: 204,
    reply: {
      otherwise: {
        status: 200,
        json: DeliveryAnswer,
        when: 'The event was delivered before, or it is a challenge that needs a response.',
      },
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

import { Change } from './change.ts'
import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Choice,
  Done,
  listing,
  Maybe,
  Moment,
  Name,
  Nullable,
  Page,
  PathId,
  ReplyId,
  ShownOnce,
  type Static,
  Type as T,
} from './schema.ts'

/** Events that a webhook can receive. */
export const WEBHOOK_EVENTS = [
  'record.added',
  'record.changed',
  'record.removed',
  'entity.added',
  'entity.changed',
  'entity.removed',
  'entity.merged',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** States of a webhook. Only the service disables one; its owner can reactivate it. */
export const WEBHOOK_STATES = ['active', 'paused', 'disabled'] as const

const GIVEN_STATES = ['active', 'paused'] as const
const URL_CHARS_MAX = 2048
const GRACE_SECONDS_MAX = 86_400

/** A webhook: a URL that receives the changes of a sandbox. */
export const Webhook = T.Object({
  webhook_id: ReplyId('webhook', 'The endpoint’s id.'),
  sandbox_id: ReplyId('sandbox', 'The sandbox whose changes it receives.'),
  url: T.String({ description: 'Where they are sent.' }),
  description: Nullable(T.String({ description: 'A label of your choice.' })),
  events: T.Array(Choice(WEBHOOK_EVENTS), { description: 'The events that it receives.' }),
  status: Choice(WEBHOOK_STATES, {
    description:
      '`disabled` if it failed for five days or replied 410 (Gone). Setting `active` resumes it at its last position.',
  }),
  disabled_reason: Nullable(Choice(['failing', 'gone'], { description: 'The reason why it was disabled.' })),
  failures: T.Integer({ minimum: 0, description: 'Number of failed attempts since the last success.' }),
  failing_since: Nullable(Moment('When the first of these attempts was made.')),
  last_error: Nullable(T.String({ description: 'The reason for the latest failure; null after a success.' })),
  last_attempt_at: Nullable(Moment('The time of the latest attempt.')),
  last_delivered_at: Nullable(Moment('The time of the latest success.')),
  next_attempt_at: Nullable(Moment('The time of the next retry.')),
  created_at: Moment('When it was created.'),
  updated_at: Moment('When its settings last changed.'),
})
export type Webhook = Static<typeof Webhook>

/** A webhook with its signing secret, which is shown only once. */
export const SecretWebhook = T.Object({
  ...Webhook.properties,
  signing_secret: ShownOnce('The signing secret, shown only when it is created or rotated.'),
})
export type SecretWebhook = Static<typeof SecretWebhook>

/** A message with changes, as sent to a webhook. */
export const WebhookMessage = T.Object({
  type: Choice(['sandbox.changed', 'webhook.test']),
  timestamp: Moment('The time of the last change.'),
  data: T.Object({
    sandbox_id: T.String(),
    webhook_id: T.String(),
    changes: T.Array(Change, { description: 'The changes, in the format and order of `GET …/changes`; at most 100.' }),
    missed: T.Boolean({ description: 'True if earlier changes were dropped before they could be sent.' }),
  }),
})
export type WebhookMessage = Static<typeof WebhookMessage>

export const WebhookDelivery = T.Object({
  delivery_id: ReplyId('delivery', 'The attempt’s id.'),
  message_id: T.String({ description: 'The `webhook-id` of the message; the same for all its attempts.' }),
  attempted_at: Moment('When it was sent.'),
  outcome: Choice(['delivered', 'failed']),
  status_code: Nullable(T.Integer({ description: 'The status code of the endpoint; null without a response.' })),
  reason: Nullable(T.String({ description: 'The reason for the failure, as a stable code.' })),
  detail: Nullable(T.String({ description: 'The reason in a sentence.' })),
  changes: T.Integer({ minimum: 0, description: 'Number of changes in the message.' }),
  duration_ms: T.Integer({ minimum: 0, description: 'Milliseconds until the response or the timeout.' }),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

const Url = T.String({
  minLength: 1,
  maxLength: URL_CHARS_MAX,
  description: 'An https URL that the service can reach. Redirects are not followed.',
})
const Events = T.Array(Choice(WEBHOOK_EVENTS), {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  description: 'The events that it receives. Default: all.',
})

/** Request body to create a webhook. */
export const CreateWebhook = T.Object({
  url: Url,
  events: T.Optional(Events),
  description: Maybe(Name('A label of your choice.')),
})
export type CreateWebhook = Static<typeof CreateWebhook>

/** Request body to update a webhook. */
export const UpdateWebhook = T.Object({
  url: Maybe(Url),
  events: Maybe(Events),
  description: Maybe(Name('A label of your choice.')),
  status: Maybe(
    Choice(GIVEN_STATES, {
      description: '`active` sends pending messages immediately, also after it was disabled; `paused` sends nothing.',
    }),
  ),
})
export type UpdateWebhook = Static<typeof UpdateWebhook>

/** Request body to rotate a signing secret. */
export const RotateSigningSecret = T.Object({
  grace_seconds: Maybe(
    T.Integer({
      minimum: 0,
      maximum: GRACE_SECONDS_MAX,
      default: 0,
      description: 'Seconds for which messages are also signed with the old secret.',
    }),
  ),
})
export type RotateSigningSecret = Static<typeof RotateSigningSecret>

export const WebhookPage = Page('webhooks', Webhook)
export type WebhookPage = Static<typeof WebhookPage>

export const WebhookDeliveryPage = Page('deliveries', WebhookDelivery)
export type WebhookDeliveryPage = Static<typeof WebhookDeliveryPage>

const tag = 'Webhooks'
const path = '/api/v1/storage/sandboxes/:sandbox_id/webhooks'
const one = `${path}/:webhook_id`
const params = T.Object({ ...sandboxParams, webhook_id: PathId('The endpoint.', 'webhook') })
const read = { ...READ, tag, access: 'owner' } as const
const change = { ...CHANGE, tag, access: 'owner', params } as const

/** Operations on webhooks, which follow Standard Webhooks. */
export const webhookOperations = {
  createWebhook: operation({
    ...CREATE,
    path,
    tag,
    summary: 'Create a webhook that receives changes',
    description:
      'It receives changes from now on. Messages are signed by the rules of Standard Webhooks ' +
      '(`webhook-id`, `webhook-timestamp`, `webhook-signature`) and sent one after another in commit order, ' +
      'at least once: a message without a 2xx within 10 seconds is retried with exponential backoff before ' +
      'the next one. A sandbox has at most 10 endpoints. With a customer-managed key, messages contain only ids.',
    access: 'owner',
    audit: { event: 'webhook.created' },
    params: T.Object(sandboxParams),
    body: {
      json: CreateWebhook,
      example: { url: 'https://hooks.example.com/cairn', events: ['record.added', 'record.removed'] },
    },
    reply: { json: SecretWebhook },
    faults: ['not_deliverable', 'sandbox_not_active', 'quota_exceeded'],
  }),
  listWebhooks: operation({
    ...read,
    path,
    summary: 'List the webhooks of a sandbox, newest first',
    params: T.Object(sandboxParams),
    ...listing(WebhookPage),
  }),
  updateWebhook: operation({
    ...change,
    method: 'PATCH',
    path: one,
    summary: 'Change, pause or reactivate a webhook',
    description:
      'It continues at its last position: changes made in the meantime are sent if they are still stored (30 days).',
    audit: { event: 'webhook.updated' },
    body: { json: UpdateWebhook, example: { status: 'active' } },
    reply: { json: Webhook },
    faults: ['not_deliverable', 'sandbox_not_active'],
  }),
  deleteWebhook: operation({
    ...change,
    method: 'DELETE',
    path: one,
    summary: 'Delete a webhook with its secret and deliveries',
    audit: { event: 'webhook.deleted' },
    reply: { json: Done },
  }),
  rotateSigningSecret: operation({
    ...change,
    path: `${one}/rotate-secret`,
    summary: 'Rotate the signing secret of a webhook',
    description:
      'The new secret is only in this reply. For `grace_seconds`, messages are signed with both; an even older ' +
      'secret becomes invalid immediately.',
    audit: { event: 'webhook.secret_rotated' },
    retry: 'keyed',
    body: { json: RotateSigningSecret, example: { grace_seconds: 3600 } },
    reply: { json: SecretWebhook },
    faults: ['sandbox_not_active'],
  }),
  testWebhook: operation({
    ...change,
    path: `${one}/test`,
    summary: 'Send a test message of type `webhook.test` to a webhook now',
    description: 'It is sent once, also to a paused or disabled webhook, and does not affect pending messages.',
    audit: { event: 'webhook.tested' },
    rated: 'reads',
    reply: { json: WebhookDelivery },
    faults: ['sandbox_not_active'],
  }),
  listWebhookDeliveries: operation({
    ...read,
    path: `${one}/deliveries`,
    summary: 'List the deliveries of a webhook, newest first',
    description: 'The last 1 000 attempts of the last 7 days.',
    params,
    ...listing(WebhookDeliveryPage),
  }),
}

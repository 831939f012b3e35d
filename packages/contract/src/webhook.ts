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
  sandbox_id: ReplyId('sandbox', 'Whose changes it is told of.'),
  url: T.String({ description: 'Where they are sent.' }),
  description: Nullable(T.String({ description: 'A label, for you.' })),
  events: T.Array(Choice(WEBHOOK_EVENTS), { description: 'What it is told of.' }),
  status: Choice(WEBHOOK_STATES, {
    description:
      '`disabled` when it has failed for five days, or said itself that it is gone (410); `active` makes it go on ' +
      'where it stood.',
  }),
  disabled_reason: Nullable(Choice(['failing', 'gone'], { description: 'Why it was disabled.' })),
  failures: T.Integer({ minimum: 0, description: 'Attempts that failed since the last that did not.' }),
  failing_since: Nullable(Moment('When the first of them was made.')),
  last_error: Nullable(T.String({ description: 'Why the latest failed; null when it did not.' })),
  last_attempt_at: Nullable(Moment('When something was last sent.')),
  last_delivered_at: Nullable(Moment('When something last arrived.')),
  next_attempt_at: Nullable(Moment('When what failed is sent again.')),
  created_at: Moment('When it was made.'),
  updated_at: Moment('When its settings last changed.'),
})
export type Webhook = Static<typeof Webhook>

/** A webhook with its signing secret, which is shown only once. */
export const SecretWebhook = T.Object({
  ...Webhook.properties,
  signing_secret: ShownOnce('What its messages are signed with, shown when it is made and rotated and never again.'),
})
export type SecretWebhook = Static<typeof SecretWebhook>

/** A message with changes, as sent to a webhook. */
export const WebhookMessage = T.Object({
  type: Choice(['sandbox.changed', 'webhook.test']),
  timestamp: Moment('When the last of the changes was made.'),
  data: T.Object({
    sandbox_id: T.String(),
    webhook_id: T.String(),
    changes: T.Array(Change, { description: 'As `GET …/changes` tells them, in the same order; at most 100.' }),
    missed: T.Boolean({ description: 'Whether changes before these were let go of before they could be sent.' }),
  }),
})
export type WebhookMessage = Static<typeof WebhookMessage>

/** One attempt to deliver a message. */
export const WebhookDelivery = T.Object({
  delivery_id: ReplyId('delivery', 'The attempt’s id.'),
  message_id: T.String({ description: 'The `webhook-id` that it carried; the same for every attempt of a message.' }),
  attempted_at: Moment('When it was sent.'),
  outcome: Choice(['delivered', 'failed']),
  status_code: Nullable(T.Integer({ description: 'What the endpoint answered; null without an answer.' })),
  reason: Nullable(T.String({ description: 'Why it failed, as a stable code.' })),
  detail: Nullable(T.String({ description: 'The same in a sentence.' })),
  changes: T.Integer({ minimum: 0, description: 'Changes that it told of.' }),
  duration_ms: T.Integer({ minimum: 0, description: 'Milliseconds until the answer, or until it was given up.' }),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

const Url = T.String({
  minLength: 1,
  maxLength: URL_CHARS_MAX,
  description: 'An https address that is reachable from the service; it follows no redirect.',
})
const Events = T.Array(Choice(WEBHOOK_EVENTS), {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  description: 'What it is told of; everything when omitted.',
})

/** Request body to create a webhook. */
export const CreateWebhook = T.Object({
  url: Url,
  events: T.Optional(Events),
  description: Maybe(Name('A label, for you.')),
})
export type CreateWebhook = Static<typeof CreateWebhook>

/** Request body to update a webhook. */
export const UpdateWebhook = T.Object({
  url: Maybe(Url),
  events: Maybe(Events),
  description: Maybe(Name('A label, for you.')),
  status: Maybe(
    Choice(GIVEN_STATES, {
      description: '`active` tries what waits at once, also after it was disabled; `paused` sends nothing.',
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
      description: 'For so long messages carry a signature by the old secret as well.',
    }),
  ),
})
export type RotateSigningSecret = Static<typeof RotateSigningSecret>

/** One page of webhooks. */
export const WebhookPage = Page('webhooks', Webhook)
export type WebhookPage = Static<typeof WebhookPage>

/** One page of delivery attempts. */
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
    summary: 'Have what changes sent to an address',
    description:
      'It begins with what changes from now on. Messages are signed by the rules of Standard Webhooks ' +
      '(`webhook-id`, `webhook-timestamp`, `webhook-signature`), come one after another in the order of commits, and ' +
      'at least once: one that is not answered with a 2xx within 10 seconds is sent again, later and later, before ' +
      'any that follows. A sandbox has at most 10 endpoints. Under a caller’s key a message has ids alone.',
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
    summary: 'List the addresses that changes are sent to, newest first',
    params: T.Object(sandboxParams),
    ...listing(WebhookPage),
  }),
  updateWebhook: operation({
    ...change,
    method: 'PATCH',
    path: one,
    summary: 'Change an endpoint, pause it, or make it active again',
    description: 'It goes on where it stood: what changed meanwhile is sent, as far as changes are kept (30 days).',
    audit: { event: 'webhook.updated' },
    body: { json: UpdateWebhook, example: { status: 'active' } },
    reply: { json: Webhook },
    faults: ['not_deliverable', 'sandbox_not_active'],
  }),
  deleteWebhook: operation({
    ...change,
    method: 'DELETE',
    path: one,
    summary: 'Send nothing there any more, and forget its secret and its deliveries',
    audit: { event: 'webhook.deleted' },
    reply: { json: Done },
    faults: [],
  }),
  rotateSigningSecret: operation({
    ...change,
    path: `${one}/rotate-secret`,
    summary: 'Give an endpoint a new signing secret',
    description:
      'The new secret is in this reply and nowhere else. For `grace_seconds` messages are signed with both; one that ' +
      'was in its grace already ends at once.',
    audit: { event: 'webhook.secret_rotated' },
    retry: 'keyed',
    body: { json: RotateSigningSecret, example: { grace_seconds: 3600 } },
    reply: { json: SecretWebhook },
    faults: ['sandbox_not_active'],
  }),
  testWebhook: operation({
    ...change,
    path: `${one}/test`,
    summary: 'Send an endpoint a message of the type `webhook.test` now',
    description: 'It is sent once, also to one that is paused or disabled, and changes nothing of what waits.',
    audit: { event: 'webhook.tested' },
    rated: 'reads',
    reply: { json: WebhookDelivery },
    faults: ['sandbox_not_active'],
  }),
  listWebhookDeliveries: operation({
    ...read,
    path: `${one}/deliveries`,
    summary: 'List what was sent to an endpoint, newest first',
    description: 'The last 1 000 attempts of the last 7 days.',
    params,
    ...listing(WebhookDeliveryPage),
  }),
}

import fc from 'fast-check'
import type { Call } from '../harness/test-app.ts'
import type { FuzzRequest } from './requests.ts'

/** A webhook address and its secret. */
export interface WebhookEndpoint {
  slug: string
  secret: string
}

const PROVIDERS = ['slack', 'github', 'linear', 'gitlab', 'jira', 'email', 'notes'] as const

/** Registers a realtime source of every provider with a connector, and of one without. */
export async function openEndpoints(call: Call, sandboxId: string): Promise<WebhookEndpoint[]> {
  const doors: WebhookEndpoint[] = []
  for (const provider of PROVIDERS) {
    const source = { provider, name: `Door of ${provider}`, ingestion_mode: 'realtime' }
    const { body } = await call('POST', `/api/v1/storage/sandboxes/${sandboxId}/sources`, source)
    doors.push({ slug: body.webhook_url.split('/').at(-1), secret: body.webhook_signing_secret })
  }
  return doors
}

const EVENTS = ['issues', 'push', 'pull_request', 'ping', 'note', 'junk', '']
const text = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('2026-03-14T09:26:53Z', '1773480413.000100', 'U1'))
/** Fields in payloads of these providers, combined at random. */
const FIELDS = [
  ...['action', 'type', 'id', 'event_id', 'team_id', 'text', 'title', 'body', 'name', 'url', 'html_url', 'ts', 'user'],
  ...['event', 'issue', 'pull_request', 'repository', 'sender', 'data', 'object_attributes', 'object_kind', 'project'],
  ...[
    'channel',
    'thread_ts',
    'created_at',
    'updatedAt',
    'number',
    'state',
    'labels',
    'assignees',
    'comments',
    'fields',
  ],
  ...['provider_event_id', 'webhookEvent', 'message', 'from', 'to', 'subject', 'deleted', 'records', 'challenge'],
]
const { payload } = fc.letrec<{ payload: unknown; object: unknown }>((tie) => ({
  payload: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('object'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...FIELDS), tie('payload'), { maxKeys: 8 }),
}))

const headers = fc.record(
  {
    'webhook-id': text.map((id) => encodeURIComponent(id)),
    'x-github-event': fc.constantFrom(...EVENTS),
    'x-github-delivery': fc.uuid(),
    'x-gitlab-event': fc.constantFrom('Issue Hook', 'Push Hook', 'junk'),
    'linear-delivery': fc.uuid(),
    'x-slack-signature': fc.constantFrom('v0=00', 'junk'),
    'x-hub-signature-256': fc.constantFrom('sha256=00', 'junk'),
  },
  { requiredKeys: [] },
)

/** Generates deliveries to these sources. Most have the right secret; payloads are typical or arbitrary. */
export function deliveriesTo(doors: readonly WebhookEndpoint[]): fc.Arbitrary<FuzzRequest> {
  const made = fc.tuple(fc.constantFrom(...doors), fc.constantFrom(...doors), fc.nat(5), headers, payload)
  return made.map(([door, other, whose, given, body]) => ({
    wrong: 'unknown' as const,
    ids: { slug: door.slug },
    query: '',
    pick: 0,
    headers: { ...given, authorization: `Bearer ${whose === 0 ? other.secret : door.secret}` },
    body: body ?? null,
  }))
}

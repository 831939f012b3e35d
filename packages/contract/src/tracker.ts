import { CREATE, operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Choice, Maybe, Name, type Static, Type as T } from './schema.ts'
import { READ_MODES, TRACKER_ENTITIES, TrackerOutcome } from './tool-server.ts'

const KEY_CHARS_MAX = 4096
const CAP_MAX = 600
const CAP_DEFAULT = 60
const POLL_SECONDS_MIN = 60
const POLL_SECONDS_MAX = 30 * 24 * 60 * 60
const POLL_SECONDS_DEFAULT = 900

/** What a tracker's source is registered from. */
export const RegisterTracker = T.Object({
  api_key: T.String({
    minLength: 1,
    maxLength: KEY_CHARS_MAX,
    pattern: '^[\\x21-\\x7e]+$',
    writeOnly: true,
    description: 'The key that opens the tracker. It is sealed, and never shown again.',
  }),
  name: Maybe(Name('A label for developers; the product’s name by default.')),
  include: Maybe(
    T.Array(Choice(TRACKER_ENTITIES), { minItems: 1, description: 'What to bring; everything by default.' }),
  ),
  ingestion_mode: Maybe(
    Choice(READ_MODES, { description: 'Polling, unless it is to be read when asked to alone.', default: 'polling' }),
  ),
  rate_cap_per_minute: Maybe(
    T.Integer({ minimum: 1, maximum: CAP_MAX, description: `Tool calls a minute; ${CAP_DEFAULT} by default.` }),
  ),
  poll_interval_seconds: Maybe(
    T.Integer({
      minimum: POLL_SECONDS_MIN,
      maximum: POLL_SECONDS_MAX,
      description: `Seconds between two polls; ${POLL_SECONDS_DEFAULT} by default.`,
    }),
  ),
})
export type RegisterTracker = Static<typeof RegisterTracker>

/** The operation on sources that are trackers. */
export const trackerOperations = {
  createTracker: operation({
    ...CREATE,
    path: '/api/v1/storage/sandboxes/:sandbox_id/sources/linear',
    tag: 'Sources',
    summary: 'Register Linear, read through its server of tools',
    description:
      'The key is sealed under `linear/<data_source_id>/auth` and tried once. A key that does not work is no error: ' +
      'the reply has `status` error and says why in `health_error`. The same again with another key heals the source ' +
      'of that name. A broken rule is 400 in the shape of the outcome, with the finer code in `error`.',
    access: 'editor',
    audit: { event: 'source.registered' },
    versioned: true,
    body: {
      json: RegisterTracker,
      example: { api_key: 'lin_api_the-key', include: ['teams', 'users', 'projects', 'issues'] },
      refusal: 'outcome',
    },
    params: T.Object(sandboxParams),
    content: 'credentials',
    reply: { json: TrackerOutcome, location: '/api/v1/storage/sandboxes/:sandbox_id/sources/:data_source_id' },
    faults: ['sandbox_not_active', 'project_archived', 'quota_exceeded', 'holds_plain_content'],
  }),
}

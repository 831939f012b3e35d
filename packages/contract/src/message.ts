import { Accepted } from './ingest.ts'
import { Job } from './job.ts'
import { CONTENT_BYTES_MAX, INGEST, operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Choice,
  GivenId,
  Maybe,
  MomentOrDay,
  Nullable,
  Opaque,
  preferHeader,
  type Static,
  Type as T,
} from './schema.ts'

export const MESSAGE_ROLES = ['user', 'assistant', 'system', 'tool'] as const

const MESSAGES_MAX = 1000
const NAME_CHARS_MAX = 255
const MESSAGE_ID_CHARS_MAX = 200
const PLACE_MAX = 999_999_999

export const SessionMessage = T.Object({
  role: Choice(MESSAGE_ROLES),
  content: Nullable(
    T.String({ maxLength: CONTENT_BYTES_MAX, description: 'The text. A blank message only occupies its position.' }),
  ),
  name: Maybe(
    T.String({
      minLength: 1,
      maxLength: NAME_CHARS_MAX,
      pattern: '\\S',
      description: 'The author. Default for the role `user`: the owner of the sandbox.',
    }),
  ),
  created_at: T.Optional(MomentOrDay('The time of the message. Default: when it was first received.')),
  id: Maybe(
    T.String({
      minLength: 1,
      maxLength: MESSAGE_ID_CHARS_MAX,
      description:
        'Your id of the message, unique in the session. Other content with the same id replaces the message.',
    }),
  ),
})
export type SessionMessage = Static<typeof SessionMessage>

/** Messages of one session, in order. */
export const SessionMessages = T.Object({
  session_id: Opaque('The session, as an id of your choice.'),
  messages: T.Array(SessionMessage, { minItems: 1, maxItems: MESSAGES_MAX }),
  first_place: T.Optional(
    T.Integer({
      minimum: 0,
      maximum: PLACE_MAX,
      default: 0,
      description:
        'The position of the first message in the session, from 0. A message without an id is identified by its ' +
        'position and text, so send a session from its beginning, or set the position at which this part begins.',
    }),
  ),
  data_source_id: Maybe(GivenId('The source of the messages.')),
  project_id: Maybe(GivenId('The project it belongs to.')),
})
export type SessionMessages = Static<typeof SessionMessages>

export const messageOperations = {
  putMessages: operation({
    ...INGEST,
    path: '/api/v1/storage/sandboxes/:sandbox_id/messages',
    tag: 'Ingest',
    summary: 'Ingest messages of a conversation',
    description:
      'A session is one conversation of records of type `message`. Repeating a message with the same id, or else the ' +
      'same position and text, changes nothing, so a client may send the whole session each time. Equal messages at ' +
      'different positions stay separate.',
    audit: { event: 'content.ingested' },
    params: T.Object(sandboxParams),
    headers: T.Object(preferHeader),
    body: {
      json: SessionMessages,
      example: {
        session_id: 'support-4711',
        messages: [
          { role: 'user', name: 'Priya Raman', content: 'When is the launch?' },
          { role: 'assistant', content: 'On 3 June.' },
        ],
      },
      bytesMax: CONTENT_BYTES_MAX,
    },
    reply: {
      json: Accepted,
      otherwise: { status: 200, json: Job, when: 'The job finished within the time in Prefer.' },
    },
    faults: ['sandbox_not_active', 'source_not_active', 'project_archived', 'quota_exceeded'],
  }),
}

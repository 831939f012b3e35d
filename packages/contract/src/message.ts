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

/** Roles of a message in a session. */
export const MESSAGE_ROLES = ['user', 'assistant', 'system', 'tool'] as const
export type MessageRole = (typeof MESSAGE_ROLES)[number]

const MESSAGES_MAX = 1000
const NAME_CHARS_MAX = 255
const MESSAGE_ID_CHARS_MAX = 200
const PLACE_MAX = 999_999_999

/** A message of a session. */
export const SessionMessage = T.Object({
  role: Choice(MESSAGE_ROLES),
  content: Nullable(
    T.String({ maxLength: CONTENT_BYTES_MAX, description: 'What was said; one that is blank only takes its place.' }),
  ),
  name: Maybe(
    T.String({
      minLength: 1,
      maxLength: NAME_CHARS_MAX,
      pattern: '\\S',
      description:
        'Who said it; where it is omitted, a message of role `user` is said by the person whose sandbox it is.',
    }),
  ),
  created_at: T.Optional(MomentOrDay('When it was said; when it first came in, where it is omitted.')),
  id: Maybe(
    T.String({
      minLength: 1,
      maxLength: MESSAGE_ID_CHARS_MAX,
      description: 'Your id of it, unique in the session: another content under it replaces the message.',
    }),
  ),
})
export type SessionMessage = Static<typeof SessionMessage>

/** Messages of one session, in order. */
export const SessionMessages = T.Object({
  session_id: Opaque('The session, by an id of your own.'),
  messages: T.Array(SessionMessage, { minItems: 1, maxItems: MESSAGES_MAX }),
  first_place: T.Optional(
    T.Integer({
      minimum: 0,
      maximum: PLACE_MAX,
      default: 0,
      description:
        'The place of the first of them in the session, from 0: a message without an id is known again by its place ' +
        'and what it says, so send a session from its beginning, or say where this part of it begins.',
    }),
  ),
  data_source_id: Maybe(GivenId('The source it came through.')),
  project_id: Maybe(GivenId('The project it belongs to.')),
})
export type SessionMessages = Static<typeof SessionMessages>

/** Operations on conversations. */
export const messageOperations = {
  putMessages: operation({
    ...INGEST,
    path: '/api/v1/storage/sandboxes/:sandbox_id/messages',
    tag: 'Ingest',
    summary: 'Take in messages of a conversation',
    description:
      'A session is one conversation of records of type `message`. The same message again, by its id, else by its ' +
      'place and what it says, changes nothing, so a client may send the whole session each time; equal messages at ' +
      'different places stay two.',
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
      otherwise: { status: 200, json: Job, when: 'The job finished within the time that Prefer gave.' },
    },
    faults: ['sandbox_not_active', 'source_not_active', 'project_archived', 'quota_exceeded'],
  }),
}

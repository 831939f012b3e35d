import { CONTENT_BYTES_MAX, operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Choice,
  FREE_FORM_BYTES_MAX,
  FreeForm,
  GivenId,
  Moment,
  MomentOrDay,
  Nullable,
  PathId,
  preferHeader,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'
import { sourceParams } from './source.ts'

const TEXT_CHARS_MAX = CONTENT_BYTES_MAX
const LABEL_CHARS_MAX = 255
const TITLE_CHARS_MAX = 2048
const URL_CHARS_MAX = 4096
const EXTERNAL_ID_CHARS_MAX = 512
const PARTICIPANTS_MAX = 1000
const ENTITIES_MAX = 256
const RELATIONS_MAX = 1000
const ALIASES_MAX = 32

/** The limits of a record's parts, for what makes records out of something else. */
export const RECORD_LIMITS = {
  labelChars: LABEL_CHARS_MAX,
  titleChars: TITLE_CHARS_MAX,
  urlChars: URL_CHARS_MAX,
  externalIdChars: EXTERNAL_ID_CHARS_MAX,
  participants: PARTICIPANTS_MAX,
  entities: ENTITIES_MAX,
  relations: RELATIONS_MAX,
  aliases: ALIASES_MAX,
  freeFormBytes: FREE_FORM_BYTES_MAX,
} as const

const label = (description: string) => T.String({ minLength: 1, maxLength: LABEL_CHARS_MAX, description })
const NamedParticipants = T.Array(label('A person’s name, handle or address.'), { maxItems: PARTICIPANTS_MAX })
const When = MomentOrDay('When it happened; a date alone is that day, 00:00 UTC.')
const ShortText = (description: string) => Nullable(T.String({ maxLength: LABEL_CHARS_MAX, description }))

/** A piece of text to take in. */
export const IngestText = T.Object({
  text: T.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, pattern: '\\S', description: 'What to remember.' }),
  source_type: T.Optional(ShortText('What kind of text it is, for example `note` or `chat`.')),
  storage_only: T.Optional(
    Nullable(T.Boolean({ default: false, description: 'Keep it without making it searchable.' })),
  ),
  project_id: T.Optional(Nullable(GivenId('The project it belongs to.'))),
  data_source_id: T.Optional(Nullable(GivenId('The source it came through.'))),
  occurred_at: T.Optional(When),
  speaker: T.Optional(ShortText('Who said or wrote it.')),
  participants: T.Optional(Nullable(NamedParticipants)),
})
export type IngestText = Static<typeof IngestText>

// The array comes first: a serialiser that tries a string first takes an array for one.
const Identifier = T.Unsafe<string | string[]>({
  type: ['array', 'string'],
  minLength: 1,
  maxLength: URL_CHARS_MAX,
  items: { type: 'string', minLength: 1, maxLength: URL_CHARS_MAX },
  maxItems: ALIASES_MAX,
})

/** An entity that a record declares. */
export const DeclaredEntity = T.Object({
  type: label('Its kind, for example `person` or `issue`.'),
  name: T.String({ minLength: 1, maxLength: TITLE_CHARS_MAX, pattern: '\\S', description: 'Its name.' }),
  aliases: T.Optional(
    Nullable(T.Array(T.String({ minLength: 1, maxLength: TITLE_CHARS_MAX }), { maxItems: ALIASES_MAX })),
  ),
  identifiers: T.Optional(
    T.Unsafe<Record<string, string | string[]> | null>({
      type: ['object', 'null'],
      additionalProperties: Identifier,
      maxProperties: ALIASES_MAX,
      description: 'What names it for certain: `email`, `login`, `url`, `key` and others.',
    }),
  ),
  properties: T.Optional(Nullable(FreeForm('Whatever else is known of it.'))),
})
export type DeclaredEntity = Static<typeof DeclaredEntity>

/** A thing in full, or its name alone. */
export type Reference = string | (Omit<DeclaredEntity, 'type'> & { type?: string })

/** Names a thing: by its name alone, or as an entity is declared, its type being left out where the place says it. */
function Refer(description: string) {
  return T.Unsafe<Reference>({
    ...DeclaredEntity,
    type: ['string', 'object'],
    minLength: 1,
    maxLength: TITLE_CHARS_MAX,
    pattern: '\\S',
    required: ['name'],
    description,
  })
}

/** A relation between two entities that a record states. */
export const DeclaredRelation = T.Object({
  subject: Refer('The one entity.'),
  predicate: label('What holds between them, for example `works_for`.'),
  object: Refer('The other entity, or a plain value such as a date.'),
  valid_from: T.Optional(Nullable(Moment('Since when it holds.'))),
  valid_to: T.Optional(Nullable(Moment('Until when it held.'))),
})
export type DeclaredRelation = Static<typeof DeclaredRelation>

/** Who made a record: a name, or a person with identifiers. */
export const Author = Refer('Who made it: a name, or a person with identifiers.')

/** Who else takes part in a record. */
export const Participants = T.Array(Refer('A name, or a person with identifiers.'), { maxItems: PARTICIPANTS_MAX })

/** A structured record, as a source delivers it. The same external_id again replaces it. */
export const RecordInput = T.Object({
  external_id: T.String({
    minLength: 1,
    maxLength: EXTERNAL_ID_CHARS_MAX,
    description: 'The record’s id at its source.',
  }),
  type: label('Its kind, for example `message`, `issue` or `document`.'),
  title: T.Optional(Nullable(T.String({ maxLength: TITLE_CHARS_MAX }))),
  text: T.Optional(Nullable(T.String({ maxLength: TEXT_CHARS_MAX }))),
  url: T.Optional(Nullable(T.String({ maxLength: URL_CHARS_MAX }))),
  occurred_at: T.Optional(When),
  author: T.Optional(Nullable(Author)),
  participants: T.Optional(Nullable(Participants)),
  entities: T.Optional(Nullable(T.Array(DeclaredEntity, { maxItems: ENTITIES_MAX }))),
  relations: T.Optional(Nullable(T.Array(DeclaredRelation, { maxItems: RELATIONS_MAX }))),
  properties: T.Optional(Nullable(FreeForm('Typed fields of the record.'))),
  project_id: T.Optional(Nullable(GivenId('The project it belongs to, in place of those of its source.'))),
  deleted: T.Optional(Nullable(T.Boolean({ description: 'Removes the record of this external_id.' }))),
})
export type RecordInput = Static<typeof RecordInput>

/** A batch of records as it is documented. */
export const RecordBatch = T.Object({ records: T.Array(RecordInput) })

/** A batch of records as it is taken: each record is checked alone, so that a bad one fails alone. */
export const UncheckedBatch = T.Object({ records: T.Array(T.Unknown(), { description: 'Records.' }) })
export type UncheckedBatch = Static<typeof UncheckedBatch>

/** The states a job can be in. */
export const JOB_STATES = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A record that failed alone. */
export const FailedRecord = T.Object({
  line: T.Integer({ minimum: 1, description: 'Its line, or its place in what was sent, counted from 1.' }),
  file: T.Optional(T.String({ description: 'The file of an archive that it stands in.' })),
  external_id: T.Optional(T.String()),
  reason: T.String({ description: 'A stable code.' }),
  detail: T.String({ description: 'What is wrong, in a sentence.' }),
})
export type FailedRecord = Static<typeof FailedRecord>

/** What an ingest job did. */
export const JobResult = T.Object(
  {
    received: T.Optional(T.Integer({ description: 'Records that came.' })),
    written: T.Optional(T.Integer({ description: 'Records added or replaced.' })),
    unchanged: T.Optional(T.Integer({ description: 'Records that were the same as before.' })),
    removed: T.Optional(T.Integer({ description: 'Records removed.' })),
    failed: T.Optional(T.Integer({ description: 'Records that failed alone.' })),
    errors: T.Optional(T.Array(FailedRecord, { description: 'The first of those that failed.' })),
  },
  { additionalProperties: true },
)
export type JobResult = Static<typeof JobResult>

/** A job: work that was accepted and is done in the background. */
export const Job = T.Object({
  job_id: ReplyId('job', 'The job’s id.'),
  status: Choice(JOB_STATES),
  job_type: T.String({ description: 'What kind of work it is.' }),
  encrypted: T.Boolean({ description: 'Whether its content is under the caller’s key.' }),
  sandbox_id: T.Optional(ReplyId('sandbox', 'The sandbox it works on.')),
  result: T.Optional(Nullable(JobResult)),
  error_message: T.Optional(Nullable(T.String({ description: 'Why it failed or waits.' }))),
  retry_count: T.Integer({ minimum: 0 }),
  children: T.Optional(T.Array(T.String(), { description: 'Jobs it was split into.' })),
  created_at: Moment('When it was accepted.'),
  started_at: T.Optional(Nullable(Moment('When work on it began.'))),
  completed_at: T.Optional(Nullable(Moment('When it ended.'))),
})
export type Job = Static<typeof Job>

/** The answer to accepted content. */
export const Accepted = T.Object({
  job_id: ReplyId('job', 'The job that takes it in.'),
  status: Choice(['queued']),
  encrypted: T.Boolean(),
  sandbox_id: ReplyId('sandbox', 'The sandbox it goes to.'),
  project_id: Nullable(T.String({ description: 'The project it was given, if any.' })),
  status_url: T.String({ description: 'Where to ask how far it is.' }),
})
export type Accepted = Static<typeof Accepted>

const tag = 'Ingest'
const headers = T.Object(preferHeader)
const otherwise = { status: 200, json: Job, when: 'The job finished within the time that Prefer gave.' } as const
const bodyExample = { text: 'Priya moved the launch to 3 June.', speaker: 'Priya Raman', source_type: 'note' }

/** The operations that take content in. */
export const ingestOperations = {
  ingest: operation({
    method: 'POST',
    path: '/api/v1/storage/sandboxes/:sandbox_id/ingest',
    tag,
    summary: 'Take in a piece of text',
    description: 'What was accepted survives a crash and can be queried within about two seconds.',
    access: 'editor',
    audit: { event: 'content.ingested' },
    retry: 'keyed',
    rated: 'records',
    content: 'writes',
    params: T.Object(sandboxParams),
    headers,
    body: { json: IngestText, example: bodyExample, bytesMax: CONTENT_BYTES_MAX },
    reply: { json: Accepted, otherwise },
    status: 202,
    faults: ['sandbox_not_active', 'source_not_active', 'project_archived', 'quota_exceeded'],
  }),
  ingestPrimary: operation({
    method: 'POST',
    path: '/api/v1/storage/ingest',
    tag,
    summary: 'Take in a piece of text into your primary sandbox',
    access: 'editor',
    audit: { event: 'content.ingested' },
    retry: 'keyed',
    rated: 'records',
    content: 'writes',
    headers,
    body: { json: IngestText, example: bodyExample, bytesMax: CONTENT_BYTES_MAX },
    reply: { json: Accepted, otherwise },
    status: 202,
    faults: ['no_primary_sandbox', 'sandbox_not_active', 'source_not_active', 'project_archived', 'quota_exceeded'],
  }),
  getJob: operation({
    method: 'GET',
    path: '/api/v1/storage/sandboxes/:sandbox_id/ingest/:job_id',
    tag,
    summary: 'Show how far a job is',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    content: 'mentions',
    params: T.Object({ ...sandboxParams, job_id: PathId('The job.', 'job') }),
    reply: { json: Job },
    status: 200,
    faults: [],
  }),
  putRecords: operation({
    method: 'POST',
    path: '/api/v1/storage/sandboxes/:sandbox_id/sources/:source_id/records',
    tag,
    summary: 'Add, replace or remove records of a source',
    description:
      'As `{"records": […]}`, at most 16 MiB, or as NDJSON (`application/x-ndjson`) of any length with at most 1 MiB ' +
      'a line. A bad record fails alone, with its number and reason in the job’s result; the others land.',
    access: 'editor',
    audit: { event: 'records.written' },
    retry: 'keyed',
    rated: 'records',
    content: 'writes',
    params: T.Object(sourceParams),
    headers,
    body: {
      json: UncheckedBatch,
      shown: RecordBatch,
      example: {
        records: [{ external_id: 'msg-1', type: 'message', text: 'The launch is on 3 June.', author: 'Priya Raman' }],
      },
      ndjson: RecordInput,
      bytesMax: CONTENT_BYTES_MAX,
    },
    reply: { json: Accepted, otherwise },
    status: 202,
    faults: ['sandbox_not_active', 'source_not_active', 'quota_exceeded'],
  }),
}

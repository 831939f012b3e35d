import { Job, jobOperations } from './job.ts'
import { CONTENT_BYTES_MAX, INGEST, operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Choice,
  FREE_FORM_BYTES_MAX,
  FreeForm,
  GivenId,
  Maybe,
  Moment,
  MomentOrDay,
  Nullable,
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
const KIND_CHARS_MAX = 64
const LOCATOR_CHARS_MAX = 256
const LOCATORS_MAX = 5_000

/** Limits on the parts of a record, for code that converts other formats to records. */
export const RECORD_LIMITS = {
  labelChars: LABEL_CHARS_MAX,
  titleChars: TITLE_CHARS_MAX,
  urlChars: URL_CHARS_MAX,
  externalIdChars: EXTERNAL_ID_CHARS_MAX,
  participants: PARTICIPANTS_MAX,
  entities: ENTITIES_MAX,
  relations: RELATIONS_MAX,
  aliases: ALIASES_MAX,
  kindChars: KIND_CHARS_MAX,
  locatorChars: LOCATOR_CHARS_MAX,
  locators: LOCATORS_MAX,
  freeFormBytes: FREE_FORM_BYTES_MAX,
} as const

const label = (description: string) => T.String({ minLength: 1, maxLength: LABEL_CHARS_MAX, description })
const NamedParticipants = T.Array(label('A person’s name, handle or address.'), { maxItems: PARTICIPANTS_MAX })
const When = MomentOrDay('When it happened; a date alone is that day, 00:00 UTC.')
const ShortText = (description: string) => Nullable(T.String({ maxLength: LABEL_CHARS_MAX, description }))

// The array type comes first. A serializer that tries string first would convert an array to a string.
const Identifier = T.Unsafe<string | string[]>({
  type: ['array', 'string'],
  minLength: 1,
  maxLength: URL_CHARS_MAX,
  items: { type: 'string', minLength: 1, maxLength: URL_CHARS_MAX },
  maxItems: ALIASES_MAX,
})

/** An entity declared by a record. */
export const DeclaredEntity = T.Object({
  type: label('Its kind, for example `person` or `issue`.'),
  name: T.String({ minLength: 1, maxLength: TITLE_CHARS_MAX, pattern: '\\S', description: 'Its name.' }),
  aliases: Maybe(T.Array(T.String({ minLength: 1, maxLength: TITLE_CHARS_MAX }), { maxItems: ALIASES_MAX })),
  email: Maybe(
    T.String({
      minLength: 1,
      maxLength: URL_CHARS_MAX,
      description: 'Short form of the `email` in `identifiers`, where it is stored and shown.',
    }),
  ),
  identifiers: T.Optional(
    T.Unsafe<Record<string, string | string[]> | null>({
      type: ['object', 'null'],
      additionalProperties: Identifier,
      maxProperties: ALIASES_MAX,
      description: 'Unique identifiers: `email`, `login`, `url`, `key` and others.',
    }),
  ),
  properties: Maybe(FreeForm('Other properties.')),
})
export type DeclaredEntity = Static<typeof DeclaredEntity>

/** Reference to an entity: a name, or an entity with an optional type. */
export type Reference = string | (Omit<DeclaredEntity, 'type'> & { type?: string })

/** Returns the schema of an entity reference: a name, or an entity whose type the context may imply. */
function ReferenceTo(description: string) {
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

/** A relation between two entities, declared by a record. */
export const DeclaredRelation = T.Object({
  subject: ReferenceTo('The subject: an entity.'),
  predicate: label('The relation, for example `works_for`.'),
  object: ReferenceTo('The object: another entity or a plain value such as a date.'),
  valid_from: Maybe(Moment('Start of validity.')),
  valid_to: Maybe(Moment('End of validity.')),
})
export type DeclaredRelation = Static<typeof DeclaredRelation>

/** Author of a record: a name, or a person with identifiers. */
export const Author = ReferenceTo('The author: a name, or a person, for example `{"name": …, "email": …}`.')

/** Phases of work, independent of a tool's own names. */
export const PHASES = ['open', 'doing', 'done', 'dropped'] as const
export type Phase = (typeof PHASES)[number]

/** Origins of a record's field: the source, the record's text, or inference from its properties. */
export const BASES = ['source', 'text', 'guessed'] as const

const basis = Maybe(Choice(BASES))
/** Origin of each declared field of a record. */
export const Basis = T.Object({ phase: basis, owner: basis, due: basis, kind: basis })

/** Work-related fields that a record's source may declare. */
export const declaredFields = {
  phase: Maybe(Choice(PHASES, { description: 'The state of the work, as a category of its tool.' })),
  owner: Maybe(ReferenceTo('The person responsible: a name, or a person with identifiers.')),
  due: T.Optional(MomentOrDay('The due date.')),
  kind: Maybe(
    T.String({
      minLength: 1,
      maxLength: KIND_CHARS_MAX,
      pattern: '\\S',
      description: 'The type of the content, in one word: bug, decision, invoice.',
    }),
  ),
}

/** Positions in the extracted text at which places of the original document begin. */
export const Locators = T.Array(
  T.Object({
    start: T.Integer({ minimum: 0, maximum: TEXT_CHARS_MAX, description: 'A UTF-16 code unit of `text`.' }),
    locator: T.String({
      minLength: 1,
      maxLength: LOCATOR_CHARS_MAX,
      pattern: '\\S',
      description: 'Where that is in the document: `p. 12`, `slide 4`, `Sheet1!A5:F9`, `00:12:31`.',
    }),
  }),
  { maxItems: LOCATORS_MAX, description: 'Sorted by `start`, without overlaps; each applies up to the next.' },
)

/** Request body to ingest a text. */
export const IngestText = T.Object({
  text: T.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, pattern: '\\S', description: 'The text to store.' }),
  title: Maybe(T.String({ maxLength: TITLE_CHARS_MAX, description: 'Its title.' })),
  external_id: Maybe(
    T.String({
      minLength: 1,
      maxLength: EXTERNAL_ID_CHARS_MAX,
      description: 'An id of your choice. Sending it again for the same source replaces the text. Default: generated.',
    }),
  ),
  source_type: T.Optional(ShortText('The kind of text, for example `note` or `chat`.')),
  storage_only: Maybe(T.Boolean({ default: false, description: 'True to store it without making it searchable.' })),
  project_id: Maybe(GivenId('The project it belongs to.')),
  data_source_id: Maybe(GivenId('The source of the text.')),
  occurred_at: T.Optional(When),
  speaker: T.Optional(ShortText('The names of its speakers or authors.')),
  author: Maybe(Author),
  participants: Maybe(NamedParticipants),
})
export type IngestText = Static<typeof IngestText>

/** Other participants of a record. */
export const Participants = T.Array(ReferenceTo('A name, or a person with identifiers.'), {
  maxItems: PARTICIPANTS_MAX,
})

/** A structured record. A record with the same external_id replaces it. */
export const RecordInput = T.Object({
  external_id: T.String({
    minLength: 1,
    maxLength: EXTERNAL_ID_CHARS_MAX,
    description: 'The record’s id at its source.',
  }),
  type: label('Its kind, for example `message`, `issue` or `document`.'),
  title: Maybe(T.String({ maxLength: TITLE_CHARS_MAX })),
  text: Maybe(T.String({ maxLength: TEXT_CHARS_MAX })),
  url: Maybe(T.String({ maxLength: URL_CHARS_MAX })),
  occurred_at: T.Optional(When),
  author: Maybe(Author),
  participants: Maybe(Participants),
  entities: Maybe(T.Array(DeclaredEntity, { maxItems: ENTITIES_MAX })),
  relations: Maybe(T.Array(DeclaredRelation, { maxItems: RELATIONS_MAX })),
  properties: Maybe(FreeForm('Typed fields of the record.')),
  ...declaredFields,
  locators: Maybe(Locators),
  basis: Maybe(Basis),
  project_id: Maybe(GivenId('The project of the record, instead of its source’s projects.')),
  deleted: Maybe(T.Boolean({ description: 'True removes the record with this external_id.' })),
})
export type RecordInput = Static<typeof RecordInput>

/** A batch of records, as documented. */
export const RecordBatch = T.Object({ records: T.Array(RecordInput) })

/** A batch of records. Each record is validated separately, so an invalid one does not fail the batch. */
export const UncheckedBatch = T.Object({ records: T.Array(T.Unknown(), { description: 'Records.' }) })
export type UncheckedBatch = Static<typeof UncheckedBatch>

/** Response to accepted content. */
export const Accepted = T.Object({
  job_id: ReplyId('job', 'The job that ingests it.'),
  status: Choice(['queued']),
  encrypted: T.Boolean(),
  sandbox_id: ReplyId('sandbox', 'The sandbox that stores it.'),
  project_id: Nullable(T.String({ description: 'Its project, if one was given.' })),
  status_url: T.String({ description: 'The address of the job’s state.' }),
})
export type Accepted = Static<typeof Accepted>

const tag = 'Ingest'
const headers = T.Object(preferHeader)
const otherwise = { status: 200, json: Job, when: 'The job finished within the time in Prefer.' } as const
const bodyExample = { text: 'Priya moved the launch to 3 June.', speaker: 'Priya Raman', source_type: 'note' }
const ingest = { ...INGEST, tag } as const

export const ingestOperations = {
  ingest: operation({
    ...ingest,
    path: '/api/v1/storage/sandboxes/:sandbox_id/ingest',
    summary: 'Ingest a text',
    description: 'Accepted data is durable and can be queried within about two seconds.',
    audit: { event: 'content.ingested' },
    params: T.Object(sandboxParams),
    headers,
    body: { json: IngestText, example: bodyExample, bytesMax: CONTENT_BYTES_MAX },
    reply: { json: Accepted, otherwise },
    faults: ['sandbox_not_active', 'source_not_active', 'project_archived', 'quota_exceeded'],
  }),
  ingestPrimary: operation({
    ...ingest,
    path: '/api/v1/storage/ingest',
    summary: 'Ingest a text into your primary sandbox',
    audit: { event: 'content.ingested' },
    headers,
    body: { json: IngestText, example: bodyExample, bytesMax: CONTENT_BYTES_MAX },
    reply: { json: Accepted, otherwise },
    faults: ['no_primary_sandbox', 'sandbox_not_active', 'source_not_active', 'project_archived', 'quota_exceeded'],
  }),
  ...jobOperations,
  putRecords: operation({
    ...ingest,
    path: '/api/v1/storage/sandboxes/:sandbox_id/sources/:source_id/records',
    summary: 'Add, replace or remove records of a source',
    description:
      'As `{"records": […]}`, at most 16 MiB, or as NDJSON (`application/x-ndjson`) of any length with at most 1 MiB ' +
      'a line. An invalid record fails, with its number and the reason in the job’s result; the others are stored.',
    audit: { event: 'records.written' },
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
    faults: ['sandbox_not_active', 'source_not_active', 'quota_exceeded'],
  }),
}

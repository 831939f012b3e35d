import { changeOperations } from './change.ts'
import { entityOperations, RecordSummary } from './entity.ts'
import {
  Author,
  Basis,
  DeclaredEntity,
  DeclaredRelation,
  declaredFields,
  Locators,
  Participants,
  PHASES,
} from './ingest.ts'
import { mergeSuggestionOperations } from './merge-suggestion.ts'
import { CHANGE, operation, READ } from './operation.ts'
import { overviewOperations } from './overview.ts'
import { AnswerStatement } from './question.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  GivenId,
  GivenMomentOrDay,
  listing,
  Maybe,
  Moment,
  Nullable,
  Page,
  PathId,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'

const tag = 'Knowledge'

const NODES_MAX = 300
const NODES = 100
const PROFILE_TOKENS = { minimum: 50, maximum: 4_000, default: 250 }

/** An entity in a neighborhood. */
export const Neighbour = T.Object({
  canonical_id: T.String(),
  name: T.String(),
  type: T.String(),
  depth: T.Integer({ description: 'Number of steps from the requested entity, which has 0.' }),
  record_count: T.Integer({ description: 'Number of records about it in the access scope.' }),
})
export type Neighbour = Static<typeof Neighbour>

/** An edge between two entities. */
export const NeighbourEdge = T.Object({
  from: T.String({ description: 'The subject’s id.' }),
  to: T.String({ description: 'The object’s id.' }),
  predicate: Nullable(T.String({ description: 'The stated relation; null if records only mention both.' })),
  valid_from: Maybe(T.String()),
  valid_to: Maybe(T.String()),
  stated_at: Maybe(Moment('The time of the record that states it.')),
  is_current: T.Optional(T.Boolean({ description: 'True if the statement is current.' })),
  record_count: T.Integer({
    description: 'Number of records that state it or mention both, among the records searched.',
  }),
  record_ids: T.Array(T.String(), { description: 'At most five of them.' }),
})
export type NeighbourEdge = Static<typeof NeighbourEdge>

/** An entity with its neighbors. */
export const Neighbourhood = T.Object({
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  canonical_id: T.String(),
  nodes: T.Array(Neighbour, { description: 'The entity itself, then the others, nearest first.' }),
  edges: T.Array(NeighbourEdge, {
    description: 'Edges between these nodes: stated relations first, then shared records.',
  }),
})
export type Neighbourhood = Static<typeof Neighbourhood>

export const EntityProfile = T.Object({
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  canonical_id: T.String(),
  name: T.String(),
  type: T.String(),
  text: T.String({ description: 'A description with current facts and the latest changes.' }),
  tokens: T.Integer({ description: 'Length of the text, in UTF-8 bytes divided by 4, rounded up.' }),
  statements: T.Array(AnswerStatement, { description: 'The lines of the text with their supporting records.' }),
})
export type EntityProfile = Static<typeof EntityProfile>

const entityRoot = '/api/v1/storage/sandboxes/:sandbox_id/entities/:canonical_id'
const entityParams = T.Object({ ...sandboxParams, canonical_id: PathId('The entity.', 'entity') })
const ProjectScope = T.Optional(GivenId('Only records of this project.'))
const readEntity = { ...READ, tag, access: 'viewer', params: entityParams, content: 'reads', rated: 'reads' } as const

/** Operations for the neighborhood and the profile of an entity. */
export const neighbourhoodOperations = {
  listNeighbours: operation({
    ...readEntity,
    path: `${entityRoot}/neighbours`,
    summary: 'Show the neighborhood of an entity',
    description: 'Stated relations come first, then the entities that share most records with it.',
    query: T.Object({
      depth: T.Optional(T.Integer({ minimum: 1, maximum: 2, default: 1, description: 'Maximum number of steps.' })),
      limit: T.Optional(
        T.Integer({ minimum: 1, maximum: NODES_MAX, default: NODES, description: 'Maximum number of nodes.' }),
      ),
      project_id: ProjectScope,
    }),
    reply: { json: Neighbourhood },
    faults: ['project_archived'],
  }),
  getEntityProfile: operation({
    ...readEntity,
    path: `${entityRoot}/profile`,
    summary: 'Summarize an entity in a few lines',
    query: T.Object({
      max_tokens: T.Optional(
        T.Integer({ ...PROFILE_TOKENS, description: 'The length of the text, in UTF-8 bytes divided by 4.' }),
      ),
      project_id: ProjectScope,
    }),
    reply: { json: EntityProfile },
    faults: ['project_archived'],
  }),
}

/** A name mentioned in a record's text. */
const Mention = T.Object({
  text: T.String({ description: 'The name as written.' }),
  start: T.Integer({ description: 'Its first UTF-16 code unit in `text`.' }),
  end: T.Integer({ description: 'The end, exclusive.' }),
  canonical_id: T.String({ description: 'The entity that it refers to.' }),
  type: T.String({
    description: 'Its predicted type: person, organization, place, work, project or incident; thing if unknown.',
  }),
  confidence: T.Number({ description: 'From 0 to 1: how sure it is that this is a name.' }),
})

/** A relation stated in a record's text. */
const StatedFact = T.Object({
  subject: T.String({ description: 'The subject, as named in the record.' }),
  predicate: T.String(),
  object: T.String({ description: 'A name or words of the text; for a date YYYY-MM-DD.' }),
  valid_from: Maybe(
    T.String({ description: 'Start of validity if the text states it, otherwise the time of the record.' }),
  ),
  start: T.Integer({ description: 'Where `text` states it: its first UTF-16 code unit.' }),
  end: T.Integer({ description: 'The end, exclusive.' }),
  confidence: T.Number({ description: 'From 0 to 1.' }),
})

const OriginalFile = T.Object(
  {
    name: T.String({ description: 'Its name, without folders.' }),
    media_type: T.String(),
    bytes: T.Integer({ minimum: 0 }),
  },
  { description: 'The stored file that the record was read from. Only `GET …/records/{record_id}` has it.' },
)

export const KnowledgeRecord = T.Object({
  record_id: ReplyId('record', 'The record’s id, which is also a canonical id.'),
  sandbox_id: ReplyId('sandbox', 'The sandbox of the record.'),
  source_id: Maybe(T.String({ description: 'The source of the record.' })),
  external_id: Maybe(T.String()),
  type: T.String(),
  title: Maybe(T.String()),
  text: Maybe(T.String()),
  url: Maybe(T.String()),
  occurred_at: Maybe(Moment('When it happened.')),
  author: T.Optional(Author),
  participants: T.Optional(Participants),
  entities: T.Optional(T.Array(DeclaredEntity)),
  relations: T.Optional(T.Array(DeclaredRelation)),
  properties: T.Optional(Anything('Typed fields of the record.')),
  ...declaredFields,
  basis: T.Optional(Basis),
  locators: T.Optional(Locators),
  project_id: Maybe(T.String({ description: 'The project that the record itself names.' })),
  canonical_ids: T.Optional(
    T.Array(T.String(), { description: 'The entities that it mentions, then the record itself.' }),
  ),
  mentions: T.Optional(T.Array(Mention, { description: 'The names in its text, in order and without overlaps.' })),
  facts: T.Optional(T.Array(StatedFact, { description: 'Facts that its text states, in order.' })),
  original: T.Optional(OriginalFile),
  created_at: Maybe(Moment('When it was ingested.')),
  updated_at: Maybe(Moment('When it was last replaced.')),
})
export type KnowledgeRecord = Static<typeof KnowledgeRecord>

const QUERY_CHARS_MAX = 500
/** A day or a month. */
const DUE = '^\\d{4}-\\d\\d(-\\d\\d)?$'

export const RecordPage = Page('records', RecordSummary)
export type RecordPage = Static<typeof RecordPage>

const root = '/api/v1/storage/sandboxes/:sandbox_id'
const read = { ...READ, tag, access: 'viewer', content: 'reads', rated: 'reads' } as const

export const knowledgeOperations = {
  ...entityOperations,
  ...neighbourhoodOperations,
  ...overviewOperations,
  ...changeOperations,
  ...mergeSuggestionOperations,
  listRecords: operation({
    ...read,
    path: `${root}/records`,
    summary: 'List records by the time of their content, latest first',
    description: 'Records without a time come last.',
    params: T.Object(sandboxParams),
    ...listing(RecordPage, {
      type: T.Optional(
        T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'Only records of this kind.' }),
      ),
      source_id: T.Optional(GivenId('Only records of this source.')),
      project_id: T.Optional(GivenId('Only records of this project.')),
      since: T.Optional(GivenMomentOrDay('Only records from this time on.')),
      until: T.Optional(GivenMomentOrDay('Only records before this time.')),
      phase: T.Optional(Choice(PHASES, { description: 'Only work in this state.' })),
      owner: T.Optional(
        T.String({
          minLength: 1,
          maxLength: QUERY_CHARS_MAX,
          description: 'Only work for which this person is responsible, by name.',
        }),
      ),
      due: T.Optional(
        T.String({ pattern: DUE, description: 'Only work due on this day or in this month: 2026-03-14, 2026-03.' }),
      ),
      kind: T.Optional(
        T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'Only records of this kind of thing.' }),
      ),
      q: T.Optional(
        T.String({ maxLength: QUERY_CHARS_MAX, description: 'Only records that contain all these words.' }),
      ),
    }),
    faults: ['invalid_cursor', 'project_archived'],
  }),
  getRecord: operation({
    ...read,
    path: `${root}/records/:record_id`,
    summary: 'Show a record',
    params: T.Object({ ...sandboxParams, record_id: PathId('The record.', 'record') }),
    reply: { json: KnowledgeRecord },
  }),
  downloadOriginal: operation({
    ...read,
    path: `${root}/records/:record_id/original`,
    summary: 'Download the file that a record was read from',
    description:
      'The bytes of the file as it was imported. It is 404 if none is stored: for records that did not come from a ' +
      'file, for plain text, and for files over `CAIRN_ORIGINAL_MIB`. It is deleted with the first record of the file.',
    params: T.Object({ ...sandboxParams, record_id: PathId('The record.', 'record') }),
    reply: { stream: 'application/octet-stream' },
  }),
  exportKnowledge: operation({
    ...CHANGE,
    rated: 'reads',
    method: 'GET',
    path: `${root}/export`,
    tag,
    summary: 'Export everything as NDJSON',
    description:
      'One JSON object per line, each with its `kind`. A `decision` is a user’s decision that two entities are the ' +
      'same or not; an import applies it. `record_kind` is the `kind` field of a record. A reply that ends early is ' +
      'incomplete; repeat the request.',
    access: 'viewer',
    audit: { event: 'sandbox.exported' },
    params: T.Object(sandboxParams),
    content: 'reads',
    reply: { stream: 'application/x-ndjson' },
  }),
}

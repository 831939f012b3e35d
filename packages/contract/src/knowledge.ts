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
import { neighbourhoodOperations } from './neighbourhood.ts'
import { CHANGE, operation, READ } from './operation.ts'
import { overviewOperations } from './overview.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  GivenId,
  GivenMomentOrDay,
  Maybe,
  Moment,
  PathId,
  paged,
  paging,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'

/** A name that stands in a record's text. */
const Mention = T.Object({
  text: T.String({ description: 'As it is written.' }),
  start: T.Integer({ description: 'Its first UTF-16 code unit in `text`.' }),
  end: T.Integer({ description: 'The code unit behind its last.' }),
  canonical_id: T.String({ description: 'The entity that it is taken for.' }),
  type: T.String({
    description: 'What it is taken to be: person, organization, place, product, work, project or incident.',
  }),
  confidence: T.Number({ description: 'From 0 to 1: how sure it is that this is a name.' }),
})

/** A relation that a record's text states. */
const ToldFact = T.Object({
  subject: T.String({ description: 'Whom it is about, as the record calls them.' }),
  predicate: T.String(),
  object: T.String({ description: 'A name or words of the text; of a date the day as YYYY-MM-DD.' }),
  valid_from: Maybe(T.String({ description: 'Since when it holds, where the text says so; else since the record.' })),
  start: T.Integer({ description: 'Where `text` states it: its first UTF-16 code unit.' }),
  end: T.Integer({ description: 'The code unit behind its last.' }),
  confidence: T.Number({ description: 'From 0 to 1.' }),
})

/** A record in full. */
export const KnowledgeRecord = T.Object({
  record_id: ReplyId('record', 'The record’s id, a canonical id too.'),
  sandbox_id: ReplyId('sandbox', 'The sandbox it is in.'),
  source_id: Maybe(T.String({ description: 'The source it came through.' })),
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
  project_id: Maybe(T.String({ description: 'The project it names itself.' })),
  canonical_ids: T.Optional(T.Array(T.String(), { description: 'The entities it is about, then itself.' })),
  mentions: T.Optional(T.Array(Mention, { description: 'The names that stand in its text, in order; none overlap.' })),
  facts: T.Optional(T.Array(ToldFact, { description: 'What its text states of people and things, in order.' })),
  created_at: Maybe(Moment('When it was taken in.')),
  updated_at: Maybe(Moment('When it was last replaced.')),
})
export type KnowledgeRecord = Static<typeof KnowledgeRecord>

const QUERY_CHARS_MAX = 500
/** A day or a month. */
const DUE = '^\\d{4}-\\d\\d(-\\d\\d)?$'

/** One page of records. */
export const RecordPage = T.Object({ records: T.Array(RecordSummary), ...paged })
export type RecordPage = Static<typeof RecordPage>

const tag = 'Knowledge'
const root = '/api/v1/storage/sandboxes/:sandbox_id'
const read = { ...READ, tag, access: 'viewer', content: 'reads', rated: 'reads' } as const

/** The operations that read what is known. */
export const knowledgeOperations = {
  ...entityOperations,
  ...neighbourhoodOperations,
  ...overviewOperations,
  ...changeOperations,
  ...mergeSuggestionOperations,
  listRecords: operation({
    ...read,
    path: `${root}/records`,
    summary: 'List records, the latest first by when they happened',
    description: 'Those that do not say when they happened come last.',
    params: T.Object(sandboxParams),
    query: T.Object({
      type: T.Optional(
        T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'Only records of this kind.' }),
      ),
      source_id: T.Optional(GivenId('Only what this source brought.')),
      project_id: T.Optional(GivenId('Only what is in this project.')),
      since: T.Optional(GivenMomentOrDay('Only what happened from then on.')),
      until: T.Optional(GivenMomentOrDay('Only what happened before then.')),
      phase: T.Optional(Choice(PHASES, { description: 'Only what has come so far.' })),
      owner: T.Optional(
        T.String({
          minLength: 1,
          maxLength: QUERY_CHARS_MAX,
          description: 'Only what this person answers for, by name.',
        }),
      ),
      due: T.Optional(
        T.String({ pattern: DUE, description: 'Only what is due on that day or in that month: 2026-03-14, 2026-03.' }),
      ),
      kind: T.Optional(
        T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'Only what is of this kind.' }),
      ),
      q: T.Optional(
        T.String({ maxLength: QUERY_CHARS_MAX, description: 'Only records in which each of these words stands.' }),
      ),
      ...paging,
    }),
    reply: { json: RecordPage },
    faults: ['invalid_cursor', 'project_archived'],
  }),
  getRecord: operation({
    ...read,
    path: `${root}/records/:record_id`,
    summary: 'Show a record',
    params: T.Object({ ...sandboxParams, record_id: PathId('The record.', 'record') }),
    reply: { json: KnowledgeRecord },
    faults: [],
  }),
  exportKnowledge: operation({
    ...CHANGE,
    rated: 'reads',
    method: 'GET',
    path: `${root}/export`,
    tag,
    summary: 'Export everything as NDJSON',
    description:
      'One JSON object a line, each with its `kind`; a `decision` is what a person said of which things are one, ' +
      'and an import keeps it. What a record is to people stands in `record_kind`. A reply that ends early was cut ' +
      'off; ask again.',
    access: 'viewer',
    audit: { event: 'sandbox.exported' },
    params: T.Object(sandboxParams),
    content: 'reads',
    reply: { stream: 'application/x-ndjson' },
    faults: [],
  }),
}

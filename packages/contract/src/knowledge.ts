import { changeOperations } from './change.ts'
import { entityOperations, RecordSummary } from './entity.ts'
import { Author, DeclaredEntity, DeclaredRelation, Participants } from './ingest.ts'
import { neighbourhoodOperations } from './neighbourhood.ts'
import { operation } from './operation.ts'
import { overviewOperations } from './overview.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  GivenId,
  GivenMomentOrDay,
  Moment,
  Nullable,
  PathId,
  paged,
  paging,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'

/** A record in full. */
export const KnowledgeRecord = T.Object({
  record_id: ReplyId('record', 'The record’s id, a canonical id too.'),
  sandbox_id: ReplyId('sandbox', 'The sandbox it is in.'),
  source_id: T.Optional(Nullable(T.String({ description: 'The source it came through.' }))),
  external_id: T.Optional(Nullable(T.String())),
  type: T.String(),
  title: T.Optional(Nullable(T.String())),
  text: T.Optional(Nullable(T.String())),
  url: T.Optional(Nullable(T.String())),
  occurred_at: T.Optional(Nullable(Moment('When it happened.'))),
  author: T.Optional(Author),
  participants: T.Optional(Participants),
  entities: T.Optional(T.Array(DeclaredEntity)),
  relations: T.Optional(T.Array(DeclaredRelation)),
  properties: T.Optional(Anything('Typed fields of the record.')),
  project_id: T.Optional(Nullable(T.String({ description: 'The project it names itself.' }))),
  canonical_ids: T.Optional(T.Array(T.String(), { description: 'The entities it is about, then itself.' })),
  created_at: T.Optional(Nullable(Moment('When it was taken in.'))),
  updated_at: T.Optional(Nullable(Moment('When it was last replaced.'))),
})
export type KnowledgeRecord = Static<typeof KnowledgeRecord>

const QUERY_CHARS_MAX = 500

/** One page of records. */
export const RecordPage = T.Object({ records: T.Array(RecordSummary), ...paged })
export type RecordPage = Static<typeof RecordPage>

const tag = 'Knowledge'
const root = '/api/v1/storage/sandboxes/:sandbox_id'

/** The operations that read what is known. */
export const knowledgeOperations = {
  ...entityOperations,
  ...neighbourhoodOperations,
  ...overviewOperations,
  ...changeOperations,
  listRecords: operation({
    rated: 'reads',
    method: 'GET',
    path: `${root}/records`,
    tag,
    summary: 'List records, the latest first by when they happened',
    description: 'Those that do not say when they happened come last.',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    content: 'reads',
    query: T.Object({
      type: T.Optional(
        T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'Only records of this kind.' }),
      ),
      source_id: T.Optional(GivenId('Only what this source brought.')),
      project_id: T.Optional(GivenId('Only what is in this project.')),
      since: T.Optional(GivenMomentOrDay('Only what happened from then on.')),
      until: T.Optional(GivenMomentOrDay('Only what happened before then.')),
      q: T.Optional(
        T.String({ maxLength: QUERY_CHARS_MAX, description: 'Only records in which each of these words stands.' }),
      ),
      ...paging,
    }),
    reply: { json: RecordPage },
    status: 200,
    faults: ['invalid_cursor', 'project_archived'],
  }),
  getRecord: operation({
    rated: 'reads',
    method: 'GET',
    path: `${root}/records/:record_id`,
    tag,
    summary: 'Show a record',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object({ ...sandboxParams, record_id: PathId('The record.', 'record') }),
    content: 'reads',
    reply: { json: KnowledgeRecord },
    status: 200,
    faults: [],
  }),
  exportKnowledge: operation({
    rated: 'reads',
    method: 'GET',
    path: `${root}/export`,
    tag,
    summary: 'Export everything as NDJSON',
    description:
      'One JSON object a line, each with its `kind`; a `decision` is what a person said of which things are one, ' +
      'and an import keeps it. A reply that ends early was cut off; ask again.',
    access: 'viewer',
    audit: { event: 'sandbox.exported' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    content: 'reads',
    reply: { stream: 'application/x-ndjson' },
    status: 200,
    faults: [],
  }),
}

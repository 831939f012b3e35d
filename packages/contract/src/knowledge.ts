import { Author, DeclaredEntity, DeclaredRelation, Participants } from './ingest.ts'
import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  encryptionHeaders,
  GivenId,
  Moment,
  Nullable,
  PathId,
  paged,
  paging,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'

const QUERY_CHARS_MAX = 500
const SEARCH_ROWS_MAX = 100
const SEARCH_ROWS = 10

const CanonicalId = T.String({ description: 'The id by which it is pinned and cited.' })

/** An entity as it is listed. */
export const EntitySummary = T.Object({
  canonical_id: CanonicalId,
  name: T.String({ description: 'Its most telling name.' }),
  type: T.String({ description: 'Its kind.' }),
  record_count: T.Optional(T.Integer({ description: 'Records about it, in scope.' })),
  created_at: T.Optional(Nullable(Moment('When it was first seen.'))),
})
export type EntitySummary = Static<typeof EntitySummary>

/** One page of entities. */
export const EntityPage = T.Object({ entities: T.Array(EntitySummary), ...paged })
export type EntityPage = Static<typeof EntityPage>

/** One hit of a search for entities. */
export const EntityHit = T.Object({
  canonical_id: CanonicalId,
  name: T.String(),
  similarity: T.Number({ description: 'From 0 to 1; 1 is the same name.' }),
  record_type: T.String({ description: 'The entity’s kind.' }),
})
export type EntityHit = Static<typeof EntityHit>

/** The hits of a search for entities, best first. */
export const EntityHits = T.Object({ results: T.Array(EntityHit) })
export type EntityHits = Static<typeof EntityHits>

/** A relation of an entity, with how long it holds and who says so. */
export const EntityRelation = T.Object({
  predicate: T.String(),
  direction: Choice(['out', 'in'], { description: '`out`: this entity is the subject.' }),
  canonical_id: T.Optional(Nullable(T.String({ description: 'The other entity, when it is known.' }))),
  name: T.String({ description: 'The other entity’s name.' }),
  valid_from: T.Optional(Nullable(T.String())),
  valid_to: T.Optional(Nullable(T.String())),
  record_id: T.Optional(T.String({ description: 'The record that states it.' })),
})
export type EntityRelation = Static<typeof EntityRelation>

/** A record as it is listed with an entity. */
export const RecordSummary = T.Object({
  record_id: ReplyId('record', 'The record’s id, a canonical id too.'),
  external_id: T.Optional(Nullable(T.String())),
  type: T.Optional(Nullable(T.String())),
  title: T.Optional(Nullable(T.String())),
  occurred_at: T.Optional(Nullable(Moment('When it happened.'))),
  source_id: T.Optional(Nullable(T.String())),
})
export type RecordSummary = Static<typeof RecordSummary>

/** An entity in full, as far as the caller's scope shows it. */
export const Entity = T.Object({
  canonical_id: CanonicalId,
  sandbox_id: ReplyId('sandbox', 'The sandbox it is in.'),
  name: T.String(),
  type: T.String(),
  names: T.Array(T.String(), { description: 'Every name it has, the most telling first.' }),
  identifiers: T.Unsafe<Record<string, string[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'What names it for certain, by kind.',
  }),
  properties: Anything('What records say of it.'),
  relations: T.Array(EntityRelation),
  records: T.Array(RecordSummary, { description: 'The latest records about it.' }),
  record_count: T.Integer(),
  merge_history: T.Array(Anything('One merge, with its evidence.'), { description: 'How it came together.' }),
  created_at: T.Optional(Nullable(Moment('When it was first seen.'))),
})
export type Entity = Static<typeof Entity>

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

const tag = 'Knowledge'
const root = '/api/v1/storage/sandboxes/:sandbox_id'
const headers = T.Object(encryptionHeaders)
const ProjectScope = T.Optional(GivenId('Only what is in this project.'))

/** The operations that read what is known. */
export const knowledgeOperations = {
  listEntities: operation({
    method: 'GET',
    path: `${root}/entities`,
    tag,
    summary: 'List entities, newest first',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    headers,
    query: T.Object({
      type: T.Optional(
        T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'Only entities of this kind.' }),
      ),
      q: T.Optional(T.String({ maxLength: QUERY_CHARS_MAX, description: 'Only entities with these words in a name.' })),
      project_id: ProjectScope,
      ...paging,
    }),
    reply: EntityPage,
    status: 200,
    faults: ['invalid_cursor', 'missing', 'mismatch', 'project_archived'],
  }),
  searchEntities: operation({
    method: 'GET',
    path: `${root}/entities/search`,
    tag,
    summary: 'Find entities by a name or an identifier, best first',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    headers,
    query: T.Object({
      q: T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'A name, as a person would write it.' }),
      limit: T.Optional(T.Integer({ minimum: 1, maximum: SEARCH_ROWS_MAX, default: SEARCH_ROWS })),
      min_similarity: T.Optional(T.Number({ minimum: 0, maximum: 1, description: 'Only hits at least this similar.' })),
      project_id: ProjectScope,
    }),
    reply: EntityHits,
    status: 200,
    faults: ['missing', 'mismatch', 'project_archived'],
  }),
  getEntity: operation({
    method: 'GET',
    path: `${root}/entities/:canonical_id`,
    tag,
    summary: 'Show an entity',
    description: 'The id of an entity that was merged away shows the one it became.',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object({ ...sandboxParams, canonical_id: PathId('The entity.', 'entity') }),
    headers,
    query: T.Object({ project_id: ProjectScope }),
    reply: Entity,
    status: 200,
    faults: ['missing', 'mismatch', 'project_archived'],
  }),
  getRecord: operation({
    method: 'GET',
    path: `${root}/records/:record_id`,
    tag,
    summary: 'Show a record',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object({ ...sandboxParams, record_id: PathId('The record.', 'record') }),
    headers,
    reply: KnowledgeRecord,
    status: 200,
    faults: ['missing', 'mismatch'],
  }),
  exportKnowledge: operation({
    method: 'GET',
    path: `${root}/export`,
    tag,
    summary: 'Export everything as NDJSON',
    description: 'One JSON object a line, each with its `kind`. A reply that ends early was cut off; ask again.',
    access: 'viewer',
    audit: { event: 'sandbox.exported' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    headers,
    stream: 'application/x-ndjson',
    status: 200,
    faults: ['missing', 'mismatch'],
  }),
}

import { CHANGE, operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  GivenId,
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

const QUERY_CHARS_MAX = 500
const SEARCH_ROWS_MAX = 100
const SEARCH_ROWS = 10
const KEY_CHARS_MAX = 4096
const SPLIT_KEYS_MAX = 256

export const ENTITY_ORDERS = ['newest', 'records', 'name'] as const
export type EntityOrder = (typeof ENTITY_ORDERS)[number]

const CanonicalId = T.String({ description: 'The id with which it is pinned and cited.' })

export const EntitySummary = T.Object({
  canonical_id: CanonicalId,
  name: T.String({ description: 'Its most descriptive name.' }),
  type: T.String({ description: 'Its kind.' }),
  record_count: T.Optional(T.Integer({ description: 'Number of records about it in the access scope.' })),
  created_at: Maybe(Moment('When it was first seen.')),
})
export type EntitySummary = Static<typeof EntitySummary>

export const EntityPage = Page('entities', EntitySummary, {
  resolution: Choice(['settled', 'pending', 'failed'], {
    description:
      '`pending` while recent mentions are still compared with others of their type; `failed` if ' +
      'the last comparison ended in an error (it is retried) or was incomplete: a pair that ' +
      'cannot be compared counts as two entities and blocks nothing. `/metrics` counts the failures.',
  }),
})
export type EntityPage = Static<typeof EntityPage>

/** One match of an entity search. */
export const EntityHit = T.Object({
  canonical_id: CanonicalId,
  name: T.String(),
  similarity: T.Number({ description: 'From 0 to 1; 1 is the same name.' }),
  record_type: T.String({ description: 'The entity’s kind.' }),
})
export type EntityHit = Static<typeof EntityHit>

/** Matches of an entity search, best first. */
export const EntityHits = T.Object({ results: T.Array(EntityHit) })

/** A relation of an entity, with its validity and the record that states it. */
export const EntityRelation = T.Object({
  predicate: T.String(),
  direction: Choice(['out', 'in'], { description: '`out`: this entity is the subject.' }),
  canonical_id: Maybe(T.String({ description: 'The other entity, if known.' })),
  name: T.String({ description: 'The other entity’s name.' }),
  valid_from: Maybe(T.String()),
  valid_to: Maybe(T.String()),
  stated_at: Maybe(Moment('The time of the record that states it.')),
  is_current: T.Boolean({
    description:
      'True if it is current: it has begun, has not ended and is not superseded by a newer statement in scope.',
  }),
  superseded_by: Maybe(T.String({ description: 'The record with the statement that superseded it.' })),
  record_id: T.Optional(T.String({ description: 'The record that states it.' })),
  span: Maybe(
    T.Object(
      { start: T.Integer(), end: T.Integer(), confidence: T.Number() },
      {
        description: 'Its place in the record’s text, in UTF-16 code units, and its confidence; null if declared.',
      },
    ),
  ),
})
export type EntityRelation = Static<typeof EntityRelation>

export const RecordSummary = T.Object({
  record_id: ReplyId('record', 'The record’s id, which is also a canonical id.'),
  external_id: Maybe(T.String()),
  type: Maybe(T.String()),
  title: Maybe(T.String()),
  snippet: T.Optional(T.String({ description: 'The beginning of its text, at most 300 characters.' })),
  author: T.Optional(T.String({ description: 'The name of its author.' })),
  occurred_at: Maybe(Moment('When it happened.')),
  source_id: Maybe(T.String()),
  url: Maybe(T.String()),
})
export type RecordSummary = Static<typeof RecordSummary>

/** A name, identifier or property of an entity, with the latest records that state it. */
export const EntityEvidence = T.Object({
  kind: Choice(['name', 'identifier', 'property']),
  key: T.String({ description: 'The kind of the identifier or the name of the property.' }),
  value: T.Unsafe<unknown>({ description: 'The value; for a property the latest one.' }),
  record_ids: T.Array(T.String(), { description: 'At most five records, latest last.' }),
})
export type EntityEvidence = Static<typeof EntityEvidence>

/** One entry of an entity's history: a merge of two entities, or a split by a user. */
export const EntityMerge = T.Object({
  merge_id: T.String({ description: 'The id with which the merge can be undone.' }),
  kind: Choice(['identifier', 'name', 'alike', 'person', 'split'], {
    description: 'The basis: a shared identifier, a shared name, similarity, or a user’s decision.',
  }),
  from: T.String({ description: 'The id that was merged into another, or that was split.' }),
  into: T.String({ description: 'The id that remained, or the new id of a split.' }),
  reason: T.String({ description: 'The reason in a few words.' }),
  evidence: Anything('The evidence.'),
  decided_by: Nullable(T.String({ description: 'The account that decided it; null if it was automatic.' })),
  merged_at: Moment('When.'),
  undone_at: Nullable(Moment('When it was undone.')),
  undone_by: Nullable(T.String({ description: 'The account that undid it.' })),
})
export type EntityMerge = Static<typeof EntityMerge>

/** An entity with all data visible in the caller's scope. */
export const Entity = T.Object({
  canonical_id: CanonicalId,
  sandbox_id: ReplyId('sandbox', 'The sandbox of the entity.'),
  name: T.String(),
  type: T.String(),
  names: T.Array(T.String(), { description: 'All its names, most descriptive first.' }),
  identifiers: T.Unsafe<Record<string, string[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Its unique identifiers, by kind.',
  }),
  properties: Anything('Its properties according to the records.'),
  evidence: T.Array(EntityEvidence, { description: 'The records that state its names, identifiers and properties.' }),
  relations: T.Array(EntityRelation),
  records: T.Array(RecordSummary, { description: 'The latest records about it.' }),
  record_count: T.Integer(),
  merge_history: T.Array(EntityMerge, { description: 'Its merge history.' }),
  created_at: Maybe(Moment('When it was first seen.')),
})
export type Entity = Static<typeof Entity>

/** State after a user's decision to merge or split entities. */
export const EntityDecision = T.Object({
  success: T.Boolean(),
  message: T.String(),
  canonical_id: T.String({ description: 'The merged entity; after a split or an undo, the separated one.' }),
  merge_id: Nullable(T.String({ description: 'The entry in the merge ledger; null if nothing changed.' })),
})
export type EntityDecision = Static<typeof EntityDecision>

const tag = 'Knowledge'
const root = '/api/v1/storage/sandboxes/:sandbox_id'
const entityParams = T.Object({ ...sandboxParams, canonical_id: PathId('The entity.', 'entity') })
const ProjectScope = T.Optional(GivenId('Only entities and records in this project.'))
const read = { ...READ, tag, access: 'viewer', content: 'reads', rated: 'reads' } as const
const change = { ...CHANGE, tag, access: 'editor', content: 'reads' } as const

/** Operations to read, merge and split entities. */
export const entityOperations = {
  listEntities: operation({
    ...read,
    path: `${root}/entities`,
    summary: 'List entities',
    params: T.Object(sandboxParams),
    ...listing(EntityPage, {
      type: T.Optional(
        T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'Only entities of this kind.' }),
      ),
      q: T.Optional(
        T.String({ maxLength: QUERY_CHARS_MAX, description: 'Only entities with all these words in a name.' }),
      ),
      sort: T.Optional(
        Choice(ENTITY_ORDERS, { default: 'newest', description: 'Newest first, most records first, or by name.' }),
      ),
      project_id: ProjectScope,
    }),
    faults: ['invalid_cursor', 'project_archived'],
  }),
  searchEntities: operation({
    ...read,
    path: `${root}/entities/search`,
    summary: 'Find entities by a name or an identifier, best first',
    params: T.Object(sandboxParams),
    query: T.Object({
      q: T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'A name or identifier.' }),
      limit: T.Optional(T.Integer({ minimum: 1, maximum: SEARCH_ROWS_MAX, default: SEARCH_ROWS })),
      min_similarity: T.Optional(T.Number({ minimum: 0, maximum: 1, description: 'Minimum similarity of a hit.' })),
      project_id: ProjectScope,
    }),
    reply: { json: EntityHits },
    faults: ['project_archived'],
  }),
  getEntity: operation({
    ...read,
    path: `${root}/entities/:canonical_id`,
    summary: 'Show an entity',
    description: 'The id of a merged entity shows the entity that it became part of.',
    params: entityParams,
    query: T.Object({ project_id: ProjectScope }),
    reply: { json: Entity },
    faults: ['project_archived'],
  }),
  mergeEntities: operation({
    ...change,
    path: `${root}/entities/:canonical_id/merge`,
    summary: 'Merge two entities',
    description:
      'The entity’s id refers to `into` from now on. Entity resolution never changes a user’s decision. ' +
      'A grant that is limited to a project does not allow it.',
    audit: { event: 'entity.merged' },
    params: entityParams,
    body: {
      json: T.Object({
        into: GivenId('The entity that remains. The id of a merged entity refers to the one that it became part of.'),
      }),
      example: { into: 'ent_1k7snik3c03p3144lv3r7b3en4' },
    },
    reply: { json: EntityDecision },
    faults: ['types_differ', 'sandbox_not_active', 'project_archived'],
  }),
  splitEntity: operation({
    ...change,
    path: `${root}/entities/:canonical_id/split`,
    summary: 'Move names and identifiers of an entity to a new entity',
    description:
      'Records follow the identifiers that they contain, or else the names. ' +
      'The two stay separate until a user merges them.',
    audit: { event: 'entity.split' },
    retry: 'ask',
    params: entityParams,
    body: {
      json: T.Object({
        keys: T.Array(T.String({ minLength: 1, maxLength: KEY_CHARS_MAX }), {
          minItems: 1,
          maxItems: SPLIT_KEYS_MAX,
          description: 'Names or identifiers as shown by the entity.',
        }),
      }),
      example: { keys: ['alex.o@example.com', 'Alex Okafor'] },
    },
    reply: { json: EntityDecision },
    faults: ['sandbox_not_active', 'project_archived'],
  }),
  undoMerge: operation({
    ...change,
    path: `${root}/entities/:canonical_id/merges/:merge_id/undo`,
    summary: 'Undo a merge',
    description: 'The merged id becomes a separate entity again and stays separate.',
    audit: { event: 'entity.merge_undone' },
    retry: 'ask',
    params: T.Object({ ...entityParams.properties, merge_id: PathId('The merge.', 'merge', 'job') }),
    reply: { json: EntityDecision },
    faults: ['merge_undone', 'sandbox_not_active', 'project_archived'],
  }),
}

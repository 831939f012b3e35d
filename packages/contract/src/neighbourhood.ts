import { operation } from './operation.ts'
import { ToldStatement } from './question.ts'
import { sandboxParams } from './sandbox.ts'
import { GivenId, Moment, Nullable, PathId, ReplyId, type Static, Type as T } from './schema.ts'

const NODES_MAX = 300
const NODES = 100
const PROFILE_TOKENS = { minimum: 50, maximum: 4_000, default: 250 }

/** An entity in a neighbourhood. */
export const Neighbour = T.Object({
  canonical_id: T.String(),
  name: T.String(),
  type: T.String(),
  depth: T.Integer({ description: 'Steps from the entity that was asked for, which has 0.' }),
  record_count: T.Integer({ description: 'Records about it, in scope.' }),
})
export type Neighbour = Static<typeof Neighbour>

/** What joins two entities. */
export const NeighbourEdge = T.Object({
  from: T.String({ description: 'The subject’s id.' }),
  to: T.String({ description: 'The object’s id.' }),
  predicate: Nullable(T.String({ description: 'What is stated; null: records are about both.' })),
  valid_from: T.Optional(Nullable(T.String())),
  valid_to: T.Optional(Nullable(T.String())),
  stated_at: T.Optional(Nullable(Moment('When the record that states it happened.'))),
  is_current: T.Optional(T.Boolean({ description: 'Whether what is stated holds now.' })),
  record_count: T.Integer({
    description: 'Records that state it, or that are about both, of those that were looked at.',
  }),
  record_ids: T.Array(T.String(), { description: 'At most five of them.' }),
})
export type NeighbourEdge = Static<typeof NeighbourEdge>

/** An entity with those around it. */
export const Neighbourhood = T.Object({
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  canonical_id: T.String(),
  nodes: T.Array(Neighbour, { description: 'The entity itself, then the nearest first.' }),
  edges: T.Array(NeighbourEdge, { description: 'Between these nodes alone; what is stated before what is shared.' }),
})
export type Neighbourhood = Static<typeof Neighbourhood>

/** What is known of an entity in a short text. */
export const EntityProfile = T.Object({
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  canonical_id: T.String(),
  name: T.String(),
  type: T.String(),
  text: T.String({ description: 'What it is, what holds of it now, and what changed last.' }),
  tokens: T.Integer({ description: 'What the text takes, in UTF-8 bytes divided by 4, rounded up.' }),
  statements: T.Array(ToldStatement, { description: 'The lines of the text, each with its records.' }),
})
export type EntityProfile = Static<typeof EntityProfile>

const tag = 'Knowledge'
const root = '/api/v1/storage/sandboxes/:sandbox_id/entities/:canonical_id'
const entityParams = T.Object({ ...sandboxParams, canonical_id: PathId('The entity.', 'entity') })
const ProjectScope = T.Optional(GivenId('Only what is in this project.'))

/** The operations that tell of an entity in short, and of what is around it. */
export const neighbourhoodOperations = {
  listNeighbours: operation({
    rated: 'reads',
    method: 'GET',
    path: `${root}/neighbours`,
    tag,
    summary: 'Show the entities around one, and what joins them',
    description: 'What records state comes first, then what most of them are about as well.',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: entityParams,
    content: 'reads',
    query: T.Object({
      depth: T.Optional(T.Integer({ minimum: 1, maximum: 2, default: 1, description: 'Steps at most.' })),
      limit: T.Optional(T.Integer({ minimum: 1, maximum: NODES_MAX, default: NODES, description: 'Nodes at most.' })),
      project_id: ProjectScope,
    }),
    reply: { json: Neighbourhood },
    status: 200,
    faults: ['project_archived'],
  }),
  getEntityProfile: operation({
    rated: 'reads',
    method: 'GET',
    path: `${root}/profile`,
    tag,
    summary: 'Tell in a few lines what is known of an entity',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: entityParams,
    content: 'reads',
    query: T.Object({
      max_tokens: T.Optional(
        T.Integer({ ...PROFILE_TOKENS, description: 'The length of the text, in UTF-8 bytes divided by 4.' }),
      ),
      project_id: ProjectScope,
    }),
    reply: { json: EntityProfile },
    status: 200,
    faults: ['project_archived'],
  }),
}

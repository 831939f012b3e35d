import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  encryptionHeaders,
  GivenId,
  Moment,
  Nullable,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'

/** The presets of a query. `max` is reserved. */
export const PRESETS = ['fast', 'auto', 'discover', 'sql', 'max'] as const
export type Preset = (typeof PRESETS)[number]

/** Who can have said a turn of a conversation. */
export const CHAT_ROLES = ['user', 'assistant', 'system'] as const
export type ChatRole = (typeof CHAT_ROLES)[number]

const QUERY_CHARS_MAX = 5000
const TURN_CHARS_MAX = 50_000
const TUPLES_MAX = 200
const TUPLE_IDS_MAX = 50
const CANONICAL_ID_CHARS_MAX = 256
const ITEMS_MAX = 100
const ITEMS = 10
const BRIEF_TOKENS_MIN = 100
const BRIEF_TOKENS_MAX = 16_000
const CITATIONS_MAX = 10

/** The turns of a conversation that are used: the latest. */
export const HISTORY_TURNS = 20

/** One turn of a conversation. */
export const ChatMessage = T.Object({
  content: T.String({ maxLength: TURN_CHARS_MAX }),
  role: Choice(CHAT_ROLES),
})
export type ChatMessage = Static<typeof ChatMessage>

const question = {
  query: T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'The current question.' }),
  history: T.Optional(
    T.Array(ChatMessage, { description: `Earlier turns, oldest first; the last ${HISTORY_TURNS} are used.` }),
  ),
  project_id: T.Optional(Nullable(GivenId('Only what is in this project; the whole sandbox when omitted.'))),
  reference_date: T.Optional(
    Nullable(T.String({ format: 'date', description: 'What `today` is in the question; today in UTC when omitted.' })),
  ),
  preset: T.Optional(
    Nullable(Choice(PRESETS, { default: 'auto', description: 'How to search. `max` is reserved (403).' })),
  ),
}

/** A question that looks for items. */
export const Discover = T.Object({
  ...question,
  limit: T.Optional(
    Nullable(T.Integer({ minimum: 1, maximum: ITEMS_MAX, default: ITEMS, description: 'Items wanted.' })),
  ),
})
export type Discover = Static<typeof Discover>

/** One thing found: a record with the entities that it is about. */
export const DiscoveryItem = T.Object({
  id: T.String(),
  score: T.Number({ description: 'Comparable within this reply.' }),
  summary: T.String(),
  canonical_ids: T.Array(T.String(), { description: 'What it is about, most telling first, then the record itself.' }),
  subgraph: T.Optional(Anything('The neighbourhood it was found in.')),
  matched_query_nodes: T.Optional(T.Array(T.String(), { description: 'Names of the question that led here.' })),
  file_paths: T.Optional(T.Array(T.String())),
  occurred_at: T.Optional(Nullable(Moment('When it happened.'))),
  source_id: T.Optional(Nullable(T.String())),
  record_id: T.Optional(T.String()),
  external_id: T.Optional(Nullable(T.String())),
})
export type DiscoveryItem = Static<typeof DiscoveryItem>

/** What was found, best first. */
export const Discovery = T.Object({
  header: T.String({ description: 'What was found, in a sentence.' }),
  items: T.Array(DiscoveryItem),
  count: T.Integer(),
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  project_id: Nullable(T.String({ description: 'Echo, or null for the whole sandbox.' })),
  query: T.String({ description: 'Echo.' }),
  next_steps: T.Array(T.String(), { description: 'What can be asked next.' }),
})
export type Discovery = Static<typeof Discovery>

/** A question about pinned items. */
export const Interpret = T.Object({
  ...question,
  items: T.Array(
    T.Array(T.String({ minLength: 1, maxLength: CANONICAL_ID_CHARS_MAX }), { minItems: 1, maxItems: TUPLE_IDS_MAX }),
    { minItems: 1, maxItems: TUPLES_MAX, description: 'Tuples of canonical ids to pin to; the grouping is kept.' },
  ),
  max_tokens: T.Optional(
    Nullable(
      T.Integer({
        minimum: BRIEF_TOKENS_MIN,
        maximum: BRIEF_TOKENS_MAX,
        description: 'The brief’s length at most, in UTF-8 bytes divided by 4.',
      }),
    ),
  ),
})
export type Interpret = Static<typeof Interpret>

/** An entity or record that the brief rests on. */
export const InterpretCitation = T.Object({
  canonical_id: T.String(),
  name: T.String(),
  relevance: T.Number({ description: 'Above 0, at most 1.' }),
})
export type InterpretCitation = Static<typeof InterpretCitation>

/** A brief with what it rests on. */
export const Interpretation = T.Object({
  brief: T.String({ description: 'A summary of one or two paragraphs, from the pinned tuples.' }),
  items: T.Array(T.Array(T.String()), { description: 'Echo.' }),
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  query: T.String({ description: 'Echo.' }),
  citations: T.Optional(T.Array(InterpretCitation, { description: `At most ${CITATIONS_MAX}, most relevant first.` })),
  project_id: T.Optional(Nullable(T.String({ description: 'Echo, or null for the whole sandbox.' }))),
})
export type Interpretation = Static<typeof Interpretation>

const tag = 'Query'
const root = '/api/v1/query/sandboxes/:sandbox_id'

/** The operations that answer questions. */
export const queryOperations = {
  discover: operation({
    method: 'POST',
    path: `${root}/discover`,
    tag,
    summary: 'Find the items that a question is about, best first',
    description: 'Equal data and an equal question give an equal answer, in an equal order.',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    rated: 'queries',
    params: T.Object(sandboxParams),
    headers: T.Object(encryptionHeaders),
    body: Discover,
    bodyExample: { query: 'Who moved the launch, and to when?', limit: 5 },
    reply: Discovery,
    status: 200,
    faults: ['preset_reserved', 'sandbox_not_active', 'project_archived', 'missing', 'mismatch'],
  }),
  interpret: operation({
    method: 'POST',
    path: `${root}/interpret`,
    tag,
    summary: 'Summarise pinned items in a brief with citations',
    description:
      'Every statement of the brief is taken or computed from the pinned records. With `Accept: text/event-stream` ' +
      'the brief comes as `event: brief` {delta}, then `event: result` (the whole reply) or `event: error`.',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    rated: 'queries',
    params: T.Object(sandboxParams),
    headers: T.Object({ ...encryptionHeaders, accept: T.Optional(T.String()) }),
    body: Interpret,
    bodyExample: {
      query: 'Who moved the launch, and to when?',
      items: [['ent_0d3k1q7v9m2x4c6b8n0a1s2d3f', 'rec_0d3k1q7v9m2x4c6b8n0a1s2d3f']],
    },
    reply: Interpretation,
    stream: 'text/event-stream',
    status: 200,
    faults: ['preset_reserved', 'sandbox_not_active', 'project_archived', 'missing', 'mismatch'],
  }),
}

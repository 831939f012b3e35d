import { RecordSummary } from './knowledge.ts'
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
const ORIGIN_IDS_MAX = 100
const ORIGINS_PER_ID_MAX = 50
const ORIGINS_PER_ID = 10

/** How much an answer tells. */
export const DETAIL_LEVELS = ['concise', 'detailed'] as const
export type DetailLevel = (typeof DETAIL_LEVELS)[number]

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

const maxTokens = T.Optional(
  Nullable(
    T.Integer({
      minimum: BRIEF_TOKENS_MIN,
      maximum: BRIEF_TOKENS_MAX,
      description: 'The length of what is told at most, in UTF-8 bytes divided by 4.',
    }),
  ),
)

/** A question about pinned items. */
export const Interpret = T.Object({
  ...question,
  items: T.Array(
    T.Array(T.String({ minLength: 1, maxLength: CANONICAL_ID_CHARS_MAX }), { minItems: 1, maxItems: TUPLE_IDS_MAX }),
    { minItems: 1, maxItems: TUPLES_MAX, description: 'Tuples of canonical ids to pin to; the grouping is kept.' },
  ),
  max_tokens: maxTokens,
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

/** A question that is answered in one go. */
export const Search = T.Object({
  ...question,
  detail_level: T.Optional(
    Nullable(Choice(DETAIL_LEVELS, { default: 'concise', description: 'How much the answer tells.' })),
  ),
  max_tokens: maxTokens,
})
export type Search = Static<typeof Search>

/** An answer with what it rests on. */
export const SearchAnswer = T.Object({
  answer: T.String({ description: 'One or two paragraphs, every statement taken or computed from stored records.' }),
  citations: T.Array(InterpretCitation, { description: `At most ${CITATIONS_MAX}, most relevant first.` }),
  preset: Choice(PRESETS, { description: 'The preset that answered.' }),
  execution_time_ms: T.Number({ description: 'Time spent on it here, in milliseconds.' }),
  warnings: T.Array(T.String(), { description: 'What the caller should know of how it was answered, as sentences.' }),
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  project_id: Nullable(T.String({ description: 'Echo, or null for the whole sandbox.' })),
  query: T.String({ description: 'Echo.' }),
})
export type SearchAnswer = Static<typeof SearchAnswer>

/** Ids whose origins are wanted. */
export const OriginsAsked = T.Object({
  canonical_ids: T.Array(T.String({ minLength: 1, maxLength: CANONICAL_ID_CHARS_MAX }), {
    minItems: 1,
    maxItems: ORIGIN_IDS_MAX,
    description: 'Entities and records, in the order in which they are answered.',
  }),
  limit_per_canonical: T.Optional(
    Nullable(
      T.Integer({
        minimum: 1,
        maximum: ORIGINS_PER_ID_MAX,
        default: ORIGINS_PER_ID,
        description: 'Files, and records, told of one id.',
      }),
    ),
  ),
  project_id: question.project_id,
})
export type OriginsAsked = Static<typeof OriginsAsked>

/** A file that records name. */
export const OriginFile = T.Object({
  file_path: T.String(),
  extraction_count: T.Integer({ description: 'Records of the id that name the file.' }),
})
export type OriginFile = Static<typeof OriginFile>

/** Where what is known of one id comes from; both lists are empty for an id that is unknown in scope. */
export const Origin = T.Object({
  canonical_id: T.String({ description: 'As asked.' }),
  files: T.Array(OriginFile, {
    description:
      'Files that its records name, those of most records first: entities of type `file`, and the properties ' +
      '`path`, `file_path`, `file_paths` and `files`.',
  }),
  records: T.Array(RecordSummary, {
    description: 'Records that carry it: its own first, then those that name it most.',
  }),
})
export type Origin = Static<typeof Origin>

/** Where what is known of some ids comes from. */
export const Origins = T.Object({
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  origins: T.Array(Origin, { description: 'One for each id, in the order asked.' }),
})
export type Origins = Static<typeof Origins>

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
  search: operation({
    method: 'POST',
    path: `${root}/search`,
    tag,
    summary: 'Answer a question: discover and brief in one go',
    description:
      'Finds what the question is about and briefs on it, at one committed state. `fast` and `auto` find by words, ' +
      'names and what records share; `discover` looks once more around what was found first. The answer is extractive.',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    headers: T.Object(encryptionHeaders),
    body: Search,
    bodyExample: { query: 'Who moved the launch, and to when?', detail_level: 'concise' },
    reply: SearchAnswer,
    status: 200,
    faults: ['preset_reserved', 'sandbox_not_active', 'project_archived', 'missing', 'mismatch'],
  }),
  origins: operation({
    method: 'POST',
    path: `${root}/origins`,
    tag,
    summary: 'Tell which files and records canonical ids come from',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    headers: T.Object(encryptionHeaders),
    body: OriginsAsked,
    bodyExample: { canonical_ids: ['ent_0d3k1q7v9m2x4c6b8n0a1s2d3f'], limit_per_canonical: 5 },
    reply: Origins,
    status: 200,
    faults: ['sandbox_not_active', 'project_archived', 'missing', 'mismatch'],
  }),
}

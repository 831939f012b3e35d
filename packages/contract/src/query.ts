import { operation, READ } from './operation.ts'
import {
  ANSWER_TOKENS,
  answeredFields,
  answerRecords,
  answerStatements,
  explainField,
  InterpretCitation,
  maxTokensField,
  pinnedTuples,
  QuestionIntent,
  questionFields,
  statementsField,
  storeField,
} from './question.ts'
import { sandboxParams } from './sandbox.ts'
import { Anything, Maybe, Moment, Nullable, ReplyId, type Static, Type as T } from './schema.ts'
import { ListOrigins, Origins, Search, SearchAnswer } from './search.ts'

const TOKENS = 2_000

/** Request body for passages: a question, pinned items or both. */
export const GatherContext = T.Object({
  ...questionFields,
  query: T.Optional(questionFields.query),
  items: T.Optional(pinnedTuples),
  max_tokens: Maybe(
    T.Integer({
      ...ANSWER_TOKENS,
      default: TOKENS,
      description: 'Maximum size of the passages and their titles, in UTF-8 bytes divided by 4.',
    }),
  ),
})
export type GatherContext = Static<typeof GatherContext>

/** Consecutive sentences of a record. */
export const ContextPassage = T.Object({
  text: T.String({ description: 'Whole sentences without markup; fields of a record as `name: value`.' }),
  record_id: ReplyId('record', 'The record of the passage.'),
  locator: T.Optional(T.String({ description: 'Where in its document it begins: `p. 12`, `#limits/retries`.' })),
  title: T.Optional(T.String()),
  author: T.Optional(T.String({ description: 'Its author.' })),
  url: T.Optional(T.String({ description: 'Where the record is at its source.' })),
  occurred_at: Maybe(Moment('When it happened.')),
  type: T.String({ description: 'The record’s kind.' }),
  score: T.Number({ description: 'Above 0, at most 1; comparable within this reply.' }),
})
export type ContextPassage = Static<typeof ContextPassage>

/** The best passages within a token limit. */
export const GatheredContext = T.Object({
  passages: T.Array(ContextPassage, { description: 'Best first, without repeated sentences.' }),
  tokens: T.Integer({ description: 'Size with titles, in UTF-8 bytes divided by 4, rounded up.' }),
  citations: T.Array(InterpretCitation, {
    description: 'One citation for each record, weighted as if the passages were statements.',
  }),
  warnings: T.Array(T.String(), { description: 'Warnings about the search, as sentences.' }),
})
export type GatheredContext = Static<typeof GatheredContext>

const ITEMS_MAX = 100
const ITEMS = 10
const CITATIONS_MAX = 10

/** Request body to list the items that match a question: records with their entities. */
export const Discover = T.Object({
  ...questionFields,
  limit: Maybe(T.Integer({ minimum: 1, maximum: ITEMS_MAX, default: ITEMS, description: 'Maximum number of items.' })),
  explain: Maybe(
    T.Boolean({
      default: false,
      description: 'True adds the interpretation of the question, and the reason for each item.',
    }),
  ),
})
export type Discover = Static<typeof Discover>

/** One item: a record with its entities. */
export const DiscoveryItem = T.Object({
  id: T.String(),
  score: T.Number({ description: 'Comparable within this reply.' }),
  title: T.Optional(T.String()),
  type: T.String({ description: 'The record’s kind.' }),
  url: T.Optional(T.String({ description: 'Where the record is at its source.' })),
  summary: T.String(),
  snippet: T.String({
    description: 'The passage of at most 300 characters that contains most of the question.',
  }),
  locator: T.Optional(
    T.String({ description: 'The place of the snippet in its document: `p. 12`, `#limits/retries`.' }),
  ),
  canonical_ids: T.Array(T.String(), { description: 'Its entities, the most specific first, then the record itself.' }),
  subgraph: T.Optional(Anything('The ids through which it was found.')),
  matched_query_nodes: T.Optional(T.Array(T.String(), { description: 'Names in the question that match it.' })),
  file_paths: T.Optional(T.Array(T.String())),
  occurred_at: Maybe(Moment('When it happened.')),
  source_id: Maybe(T.String()),
  record_id: T.Optional(T.String()),
  external_id: Maybe(T.String()),
  why: T.Optional(
    T.Record(T.String(), T.Number(), { description: 'Score of each ranking signal; only with `explain`.' }),
  ),
})
export type DiscoveryItem = Static<typeof DiscoveryItem>

/** Items that match a question, best first. */
export const Discovery = T.Object({
  header: T.String({ description: 'A sentence about the results.' }),
  items: T.Array(DiscoveryItem),
  intent: T.Optional(QuestionIntent),
  count: T.Integer(),
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  project_id: Nullable(T.String({ description: 'The requested project, or null for the whole sandbox.' })),
  query: T.String({ description: 'Echo.' }),
  next_steps: T.String({ description: 'Suggested next steps, in sentences.' }),
})
export type Discovery = Static<typeof Discovery>

/** Request body for a brief on pinned items. */
export const Interpret = T.Object({
  ...questionFields,
  items: pinnedTuples,
  max_tokens: maxTokensField,
  statements: statementsField,
  explain: explainField,
  store: storeField,
})
export type Interpret = Static<typeof Interpret>

/** A brief with its evidence. */
export const Interpretation = T.Object({
  ...answeredFields,
  brief: T.String({ description: 'A summary of one or two paragraphs, from the pinned tuples.' }),
  items: T.Array(T.Array(T.String()), { description: 'Echo.' }),
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  query: T.String({ description: 'Echo.' }),
  citations: T.Optional(T.Array(InterpretCitation, { description: `At most ${CITATIONS_MAX}, most relevant first.` })),
  statements: answerStatements,
  records: answerRecords,
  intent: T.Optional(QuestionIntent),
  project_id: Maybe(T.String({ description: 'The requested project, or null for the whole sandbox.' })),
})
export type Interpretation = Static<typeof Interpretation>

const tag = 'Query'
const root = '/api/v1/query/sandboxes/:sandbox_id'
const ask = {
  ...READ,
  method: 'POST',
  tag,
  access: 'viewer',
  params: T.Object(sandboxParams),
  content: 'reads',
  rated: 'queries',
} as const

/** Operations that answer questions. */
export const queryOperations = {
  discover: operation({
    ...ask,
    asUser: true,
    path: `${root}/discover`,
    summary: 'Find the items that a question is about, best first',
    description:
      'The same question on the same data gives the same answer in the same order. A configured reranker also ' +
      'affects the order, except with the preset `fast`; a `Warning` reports its failure.',
    body: { json: Discover, example: { query: 'Who moved the launch, and to when?', limit: 5 } },
    reply: { json: Discovery },
    faults: ['preset_reserved', 'sandbox_not_active', 'project_archived'],
  }),
  interpret: operation({
    ...ask,
    path: `${root}/interpret`,
    summary: 'Summarize pinned items in a brief with citations',
    description:
      'Every statement of the brief is quoted or computed from the pinned records. If a model is configured and the ' +
      'preset is not `fast`, it writes the brief from them. `X-Interpret-Mode` is then `model`, or `extractive` with ' +
      'a `Warning` that gives the reason. With `Accept: text/event-stream` the brief arrives as `event: brief` ' +
      '{delta}, then `event: result` (the whole reply) or `event: error`. A delta with `restart` replaces all ' +
      'deltas before it.',
    headers: T.Object({ accept: T.Optional(T.String()) }),
    body: {
      json: Interpret,
      example: {
        query: 'Who moved the launch, and to when?',
        items: [['ent_0d3k1q7v9m2x4c6b8n0a1s2d3f', 'rec_0d3k1q7v9m2x4c6b8n0a1s2d3f']],
      },
    },
    reply: { json: Interpretation, stream: 'text/event-stream' },
    faults: ['preset_reserved', 'sandbox_not_active', 'project_archived'],
  }),
  search: operation({
    ...ask,
    asUser: true,
    path: `${root}/search`,
    summary: 'Answer a question: discover and interpret in one call',
    description:
      'Finds the relevant records and composes an answer from them, in one read snapshot. `fast` and `auto` search ' +
      'by words, names and shared entities; `discover` also searches around the first results. `sql`, which `auto` ' +
      'uses for questions of that form, counts, lists, groups and compares typed rows, or says that they ' +
      'cannot answer. With a model, except in `fast`, the model writes answers that are not computed: see ' +
      '`interpret`. For `sql` it writes a query if no rule can parse the question, and `warnings` show that query. ' +
      'With `Accept: text/event-stream` the answer is streamed as events, like that of `interpret`.',
    headers: T.Object({ accept: T.Optional(T.String()) }),
    body: { json: Search, example: { query: 'Who moved the launch, and to when?', detail_level: 'concise' } },
    reply: { json: SearchAnswer, stream: 'text/event-stream' },
    faults: ['preset_reserved', 'sandbox_not_active', 'project_archived'],
  }),
  gatherContext: operation({
    ...ask,
    path: `${root}/context`,
    summary: 'Get the best passages for a question, up to a token limit',
    description:
      'For callers with their own model: whole sentences of the records that `discover` finds, or of pinned ' +
      '`items`, most relevant first, without repeats. Needs `query`, `items` or both.',
    body: { json: GatherContext, example: { query: 'Who moved the launch, and to when?', max_tokens: 1000 } },
    reply: { json: GatheredContext },
    faults: ['preset_reserved', 'sandbox_not_active', 'project_archived'],
  }),
  listOrigins: operation({
    ...ask,
    path: `${root}/origins`,
    summary: 'Find the files and records of canonical ids',
    body: {
      json: ListOrigins,
      example: { canonical_ids: ['ent_0d3k1q7v9m2x4c6b8n0a1s2d3f'], limit_per_canonical: 5 },
    },
    reply: { json: Origins },
    faults: ['sandbox_not_active', 'project_archived'],
  }),
}

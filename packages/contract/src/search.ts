import { RecordSummary } from './entity.ts'
import {
  answeredFields,
  answerRecords,
  answerStatements,
  CANONICAL_ID_CHARS_MAX,
  explainField,
  InterpretCitation,
  maxTokensField,
  PRESETS,
  QuestionIntent,
  questionFields,
  statementsField,
  storeField,
} from './question.ts'
import { Choice, Maybe, Nullable, ReplyId, type Static, Type as T } from './schema.ts'

const CITATIONS_MAX = 10
const ORIGIN_IDS_MAX = 100
const ORIGINS_PER_ID_MAX = 50
const ORIGINS_PER_ID = 10

export const DETAIL_LEVELS = ['concise', 'detailed'] as const

/** Request body of a question. */
export const Search = T.Object({
  ...questionFields,
  detail_level: Maybe(Choice(DETAIL_LEVELS, { default: 'concise', description: 'Length of the answer.' })),
  max_tokens: maxTokensField,
  statements: statementsField,
  explain: explainField,
  store: storeField,
})
export type Search = Static<typeof Search>

const Scalar = T.Unsafe<string | number | boolean | null>({ type: ['string', 'number', 'boolean', 'null'] })

/** A file that was not read, or not to its end. */
export const UnreadFile = T.Object({
  path: T.String({ description: 'Its path as it was sent.' }),
  reason: T.String({ description: 'The reason, as a stable code.' }),
})
export type UnreadFile = Static<typeof UnreadFile>

export const SearchAnswer = T.Object({
  ...answeredFields,
  answer: T.String({
    description: 'One or two paragraphs. Every statement is quoted or computed from stored records.',
  }),
  citations: T.Array(InterpretCitation, { description: `At most ${CITATIONS_MAX}, most relevant first.` }),
  statements: answerStatements,
  records: answerRecords,
  unread: T.Optional(
    T.Array(UnreadFile, {
      description:
        'If nothing answers the question, at most three files in scope whose name or kind fits it and that could not ' +
        'be read in the last 30 days.',
    }),
  ),
  intent: T.Optional(QuestionIntent),
  preset: Choice(PRESETS, { description: 'The preset that answered.' }),
  execution_time_ms: T.Number({ description: 'Execution time in the service, in milliseconds.' }),
  warnings: T.Array(T.String(), { description: 'Warnings about the answer, as sentences.' }),
  columns: T.Optional(T.Array(T.String(), { description: 'The columns of `rows`; only with the preset `sql`.' })),
  rows: T.Optional(T.Array(T.Array(Scalar), { description: 'At most 100 rows of the answer.' })),
  total_rows: T.Optional(T.Integer({ description: 'Total number of rows.' })),
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  project_id: Nullable(T.String({ description: 'The requested project, or null for the whole sandbox.' })),
  query: T.String({ description: 'Echo.' }),
})
export type SearchAnswer = Static<typeof SearchAnswer>

/** Request body for the origins of ids. */
export const ListOrigins = T.Object({
  canonical_ids: T.Array(T.String({ minLength: 1, maxLength: CANONICAL_ID_CHARS_MAX }), {
    minItems: 1,
    maxItems: ORIGIN_IDS_MAX,
    description: 'Canonical ids of entities and records. The reply has the same order.',
  }),
  limit_per_canonical: Maybe(
    T.Integer({
      minimum: 1,
      maximum: ORIGINS_PER_ID_MAX,
      default: ORIGINS_PER_ID,
      description: 'Maximum files, and maximum records, for one id.',
    }),
  ),
  project_id: questionFields.project_id,
})
export type ListOrigins = Static<typeof ListOrigins>

/** A file named by records. */
export const OriginFile = T.Object({
  file_path: T.String(),
  extraction_count: T.Integer({ description: 'Number of records of the id that name the file.' }),
})
export type OriginFile = Static<typeof OriginFile>

/** Source files and records of one id. Both lists are empty for an id unknown in the scope. */
export const Origin = T.Object({
  canonical_id: T.String({ description: 'As asked.' }),
  files: T.Array(OriginFile, {
    description:
      'Files that its records name, by number of records: entities of type `file`, and the properties ' +
      '`path`, `file_path`, `file_paths` and `files`.',
  }),
  records: T.Array(RecordSummary, {
    description: 'Supporting records: its own first, then those that name it most.',
  }),
})
export type Origin = Static<typeof Origin>

/** Origins of several ids. */
export const Origins = T.Object({
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  origins: T.Array(Origin, { description: 'One for each id, in the requested order.' }),
})
export type Origins = Static<typeof Origins>

import { Choice, GivenId, Maybe, Moment, Nullable, ReplyId, type Static, Type as T } from './schema.ts'

const QUERY_CHARS_MAX = 5000
const TURN_CHARS_MAX = 50_000
const TUPLES_MAX = 200
const TUPLE_IDS_MAX = 50
const CITED_RECORDS_MAX = 10
/** Maximum records shown as evidence of an explained answer. */
export const ANSWER_RECORDS_MAX = 10
export const ANSWER_TOKENS = { minimum: 100, maximum: 16_000 }

/** Presets of a query. `max` is reserved. */
export const PRESETS = ['fast', 'auto', 'discover', 'sql', 'max'] as const
export type Preset = (typeof PRESETS)[number]

const MODEL_NAME_CHARS_MAX = 128
/** Pattern of model names of other services: `vendor/name`, `name:variant` or both. */
const MODEL_NAME = '^[\\w.-]+(/[\\w.-]+)*(/[\\w.-]+|:[\\w.-]+)$'

/** Roles of a message in a conversation. */
export const CHAT_ROLES = ['user', 'assistant', 'system'] as const

/** Number of latest conversation turns that are used. */
export const HISTORY_TURNS = 20

export const ChatMessage = T.Object({
  content: T.String({ maxLength: TURN_CHARS_MAX }),
  role: Choice(CHAT_ROLES),
})
export type ChatMessage = Static<typeof ChatMessage>

/** Maximum characters of a reference date. The longest RFC 3339 time with fractional seconds and an offset has 35. */
const REFERENCE_DATE_CHARS_MAX = 40
/** Maximum characters of a time zone. The longest IANA name has 32. */
const TIME_ZONE_CHARS_MAX = 64

/** Common fields of all questions. */
export const questionFields = {
  query: T.String({ minLength: 1, maxLength: QUERY_CHARS_MAX, description: 'The current question.' }),
  history: T.Optional(
    T.Array(ChatMessage, { description: `Earlier turns, oldest first; the last ${HISTORY_TURNS} are used.` }),
  ),
  project_id: Maybe(GivenId('Only records of this project. Default: the whole sandbox.')),
  reference_date: Maybe(
    T.String({
      maxLength: REFERENCE_DATE_CHARS_MAX,
      description:
        'The reference for relative dates such as `today`: a day, or a moment with its UTC offset. Default: the ' +
        'current day.',
      examples: ['2026-03-30', '2026-03-30T12:00:00+02:00'],
    }),
  ),
  time_zone: Maybe(
    T.String({
      maxLength: TIME_ZONE_CHARS_MAX,
      description:
        'The time zone in which days begin and end: an IANA name or a UTC offset. Default: the offset of ' +
        '`reference_date`, else UTC.',
      examples: ['Europe/Berlin', '+02:00'],
    }),
  ),
  preset: T.Optional(
    T.Unsafe<string | null>({
      type: ['string', 'null'],
      anyOf: [
        { type: ['string', 'null'], enum: [...PRESETS, null] },
        { type: 'string', pattern: MODEL_NAME, maxLength: MODEL_NAME_CHARS_MAX },
      ],
      default: 'auto',
      description:
        'The search preset. `max` is reserved (403). The name of a model (`vendor/name`, `name:variant`), as other ' +
        'services take one here, counts as `auto`, with a `Warning`.',
    }),
  ),
}

/** Maximum characters of a canonical id in a request. */
export const CANONICAL_ID_CHARS_MAX = 256

/** Tuples of canonical ids that a caller pins. */
export const pinnedTuples = T.Array(
  T.Array(T.String({ minLength: 1, maxLength: CANONICAL_ID_CHARS_MAX }), { minItems: 1, maxItems: TUPLE_IDS_MAX }),
  { minItems: 1, maxItems: TUPLES_MAX, description: 'Tuples of canonical ids to pin; the grouping is kept.' },
)

/** Maximum length of the answer. */
export const maxTokensField = Maybe(
  T.Integer({
    ...ANSWER_TOKENS,
    description: 'Maximum length of the answer, in UTF-8 bytes divided by 4.',
  }),
)

const Span = T.Object({ from: Nullable(Moment('From when on.')), until: Nullable(Moment('The end, exclusive.')) })

/** Interpretation of a question. */
export const QuestionIntent = T.Object(
  {
    text: T.String({ description: 'The question with corrected spelling.' }),
    parts: T.Array(
      T.Object({
        text: T.String({ description: 'With the subject from an earlier part of the question.' }),
        kind: T.String({ description: 'The kind of answer: `who`, `when`, `why` and others.' }),
        terms: T.Array(T.String(), { description: 'The search terms, as indexed.' }),
        names: T.Array(T.String(), { description: 'Names of entities in the question.' }),
        people: T.Array(T.String(), { description: 'The names that belong to people.' }),
      }),
      { description: 'The parts of the question in order; at least one.' },
    ),
    times: T.Array(Span, { description: 'The times that it asks about; empty for any time.' }),
    broad: T.Optional(
      Choice(['courtesy', 'everything', 'thing'], {
        description: 'The kind of question, if it does not ask for a single fact.',
      }),
    ),
    event: T.Optional(T.String({ description: 'The words that give a time by an event.' })),
    subject: T.Optional(T.String({ description: 'The subject from earlier questions.' })),
    asks_rows: T.Boolean({
      description: 'True for a count, a list, groups or an extreme of a kind of records that exists.',
    }),
    notes: T.Array(T.String(), { description: 'Assumptions made in interpreting it, as sentences.' }),
  },
  { description: 'The interpretation of the question; only with `explain`.' },
)
export type QuestionIntent = Static<typeof QuestionIntent>

/** Request field that adds the evidence of the answer. */
export const explainField = Maybe(
  T.Boolean({
    default: false,
    description: 'True adds the interpretation of the question and the evidence of each statement.',
  }),
)

/** Request field that adds the answer as separate statements. */
export const statementsField = Maybe(
  T.Boolean({ default: false, description: 'True adds `statements` with their spans in the records.' }),
)

/** A span of a record's text. */
export const TextSpan = T.Object({
  record_id: ReplyId('record', 'The record.'),
  start: T.Integer({ description: 'Its first UTF-16 code unit in the record’s `text`.' }),
  end: T.Integer({ description: 'The end, exclusive.' }),
  locator: T.Optional(
    T.String({
      description: 'Where that is in its document: `p. 12`, `Sheet1!B7`, or the headings above, `#limits/retries`.',
    }),
  ),
})
export type TextSpan = Static<typeof TextSpan>

export const AnswerStatement = T.Object({
  text: T.String(),
  record_ids: T.Array(T.String(), { description: 'The records that support it.' }),
  computed: T.Optional(T.String({ description: 'The computation, with its fields or records.' })),
  spans: T.Optional(T.Array(TextSpan, { description: 'Its spans in the texts; empty if it is computed from fields.' })),
})
export type AnswerStatement = Static<typeof AnswerStatement>

/** The statements of an answer; only on request. */
export const answerStatements = T.Optional(
  T.Array(AnswerStatement, { description: 'The statements of the answer; with `statements` or `explain`.' }),
)

/** Maximum spans in one citation. */
export const SPANS_MAX = 10

/** An entity or record that supports the answer. */
export const InterpretCitation = T.Object({
  canonical_id: T.String(),
  name: T.String(),
  type: T.Optional(T.String({ description: 'The kind of the entity or of the record.' })),
  relevance: T.Number({
    description:
      'Above 0, at most 1. The statements of an answer weigh 1, ½, ¼ … in their order. The value is the weight of ' +
      'the statements that it supports, relative to the citation with the highest weight.',
  }),
  record_ids: T.Array(T.String(), {
    description:
      `At most ${CITED_RECORDS_MAX} records that support it: its own record first, then the others in the order of ` +
      `the answer.`,
  }),
  title: T.Optional(T.String({ description: 'From the first of these records that has one.' })),
  url: T.Optional(T.String({ description: 'From the first of these records that has one.' })),
  spans: T.Optional(
    T.Array(TextSpan, { description: `At most ${SPANS_MAX} spans of these records that support the statements.` }),
  ),
})
export type InterpretCitation = Static<typeof InterpretCitation>

/** A pointer to a record: its title and location. */
export const RecordPointer = T.Object({
  record_id: ReplyId('record', 'The record.'),
  type: T.String({ description: 'Its kind.' }),
  title: T.String({ description: 'Its title, or the beginning of its text.' }),
  url: T.Optional(T.String({ description: 'Where it is at its source.' })),
  occurred_at: Maybe(Moment('When it happened.')),
  source_name: T.Optional(T.String({ description: 'The name of its source.' })),
  path: T.Optional(T.String({ description: 'Its file path at the source, if it is a file.' })),
  locator: T.Optional(T.String({ description: 'The location of the first supporting passage in its document.' })),
})
export type RecordPointer = Static<typeof RecordPointer>

/** The records that support the answer; only with `explain`. */
export const answerRecords = T.Optional(
  T.Array(RecordPointer, {
    description:
      `The first ${ANSWER_RECORDS_MAX} records that support the answer, in the order of its statements; only with ` +
      '`explain`.',
  }),
)

/** Outcomes of a question: answered, only related passages found, or nothing found. */
export const OUTCOMES = ['answered', 'closest', 'nothing'] as const
export type AnswerOutcome = (typeof OUTCOMES)[number]

/** Maximum number of considered statements in a response. */
export const CONSIDERED_MAX = 24

/** A statement that was considered for the answer. */
export const ConsideredStatement = T.Object({
  record_id: ReplyId('record', 'The record.'),
  start: T.Integer({ description: 'Its first UTF-16 code unit in the record’s `text`.' }),
  end: T.Integer({ description: 'The end, exclusive; 0 for a statement made from fields or relations.' }),
  text: T.String(),
  score: T.Number({ description: 'The probability that it answers the question, from 0 to 1.' }),
  rank: T.Integer({ description: '1 for the best.' }),
  chosen: T.Boolean({ description: 'True if the answer contains it.' }),
  reason: T.String({ description: 'The reason why it was selected or not.' }),
})
export type ConsideredStatement = Static<typeof ConsideredStatement>

/** Request field that controls storage of the answer. */
export const storeField = Maybe(
  T.Boolean({ default: true, description: 'Stores the answer, so that it can be read, shared and rated later.' }),
)

/** Settings of a question, as they are stored with its answer. */
export const QuestionSettings = T.Object(
  {
    reference_date: questionFields.reference_date,
    time_zone: questionFields.time_zone,
    preset: questionFields.preset,
  },
  { description: 'The settings of the question, as they were given.' },
)
export type QuestionSettings = Static<typeof QuestionSettings>

/** Outcome of a question, with the nearest records if it is not answered. */
export const answeredFields = {
  answer_id: T.Optional(
    ReplyId(
      'answer',
      'The id of the stored answer. Absent if it is not stored: with `store: false`, with `as_user`, in a sandbox ' +
        'without records, if the service stores no answers, and, with a warning, if storing it failed.',
    ),
  ),
  outcome: Choice(OUTCOMES, {
    description:
      '`answered`: the passages answer the question. `closest`: one sentence names the missing information, followed ' +
      'by at most two related passages. `nothing`: only that sentence.',
  }),
  answered: T.Boolean({
    description: 'True if `outcome` is `answered`. Zero and "no" count as answers.',
  }),
  written_by: T.Optional(
    T.String({
      description:
        'The name of the language model that wrote the answer, or the query for its rows. Absent if no model did.',
    }),
  ),
  nearest: T.Optional(
    T.Array(RecordPointer, { description: 'If nothing answers the question, at most three records that are nearest.' }),
  ),
  considered: T.Optional(
    T.Array(ConsideredStatement, {
      description: `At most ${CONSIDERED_MAX} statements, best first; only with \`explain\`.`,
    }),
  ),
  threshold: T.Optional(
    T.Number({
      description:
        'The minimum probability for the records to count as an answer to the question; only with ' +
        '`explain`. It applies to the whole question and is not comparable with the `score` of one statement.',
    }),
  ),
}

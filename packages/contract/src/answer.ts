import { CHANGE, operation, READ } from './operation.ts'
import { answeredFields, answerStatements, InterpretCitation, OUTCOMES, QuestionSettings } from './question.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Choice,
  Done,
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

export const VERDICTS = ['right', 'partly', 'wrong'] as const
export type Verdict = (typeof VERDICTS)[number]

const NOTE_CHARS_MAX = 2_000
const EXPECTED_RECORDS_MAX = 50
const RECORD_ID_CHARS_MAX = 64

export const AnswerSummary = T.Object({
  answer_id: ReplyId('answer', 'The `answer_id` of the reply.'),
  query: T.String({ description: 'The question.' }),
  outcome: Choice(OUTCOMES),
  project_id: Nullable(T.String({ description: 'The project that was asked; null for the whole sandbox.' })),
  shared: T.Boolean({ description: 'True if members of the account can read it.' }),
  created_at: Moment('When it was given.'),
  expires_at: Moment('When it is deleted, unless a record that it cites is deleted earlier.'),
})
export type AnswerSummary = Static<typeof AnswerSummary>

/** One account's feedback on an answer. */
export const Feedback = T.Object({
  answer_id: ReplyId('answer', 'The answer.'),
  user_id: T.String({ description: 'The account that gave the feedback.' }),
  verdict: Choice(VERDICTS),
  note: Nullable(T.String()),
  expected_record_ids: T.Array(T.String(), { description: 'Records that should answer the question.' }),
  created_at: Moment('When it was given.'),
})
export type Feedback = Static<typeof Feedback>

export const StoredAnswer = T.Object({
  ...AnswerSummary.properties,
  asked_by: T.String({ description: 'The account that asked.' }),
  answer: T.String({ description: 'The answer or brief, as it was given.' }),
  citations: T.Array(InterpretCitation, { description: 'The citations of the original reply.' }),
  statements: answerStatements,
  written_by: answeredFields.written_by,
  settings: T.Optional(QuestionSettings),
  feedback: T.Optional(Feedback),
})
export type StoredAnswer = Static<typeof StoredAnswer>

/** Request body of feedback. */
export const GiveFeedback = T.Object({
  verdict: Choice(VERDICTS, { description: 'The judgment: right, partly right or wrong.' }),
  note: Maybe(T.String({ maxLength: NOTE_CHARS_MAX, description: 'Explains the verdict or gives the right answer.' })),
  expected_record_ids: Maybe(
    T.Array(T.String({ minLength: 1, maxLength: RECORD_ID_CHARS_MAX }), {
      maxItems: EXPECTED_RECORDS_MAX,
      description: 'Records that should answer the question; 422 for one that is not in your access scope.',
    }),
  ),
})
export type GiveFeedback = Static<typeof GiveFeedback>

/** A record that was retrieved for an answer. */
export const RetrievedRecord = T.Object({
  record_id: ReplyId('record', 'The record.'),
  rank: T.Integer({ minimum: 1, description: '1 for the first. Deleted records leave gaps.' }),
  cited: T.Boolean({ description: 'True if the answer cites it.' }),
})
export type RetrievedRecord = Static<typeof RetrievedRecord>

/** Feedback with its question, answer and retrieved records. */
export const FeedbackEntry = T.Object({
  ...Feedback.properties,
  query: T.String({ description: 'The question.' }),
  outcome: Choice(OUTCOMES),
  answer: T.String({ description: 'The answer as it was given.' }),
  asked_at: Moment('When the question was asked.'),
  retrieved: T.Array(RetrievedRecord, { description: 'Best first.' }),
})
export type FeedbackEntry = Static<typeof FeedbackEntry>

export const AnswerPage = Page('answers', AnswerSummary)
export type AnswerPage = Static<typeof AnswerPage>

export const FeedbackPage = Page('feedback', FeedbackEntry)
export type FeedbackPage = Static<typeof FeedbackPage>

const tag = 'Query'
const root = '/api/v1/query/sandboxes/:sandbox_id'
const one = `${root}/answers/:answer_id`
const params = T.Object(sandboxParams)
const answerParams = T.Object({ ...sandboxParams, answer_id: PathId('The answer.', 'answer') })
const read = { ...READ, tag, rated: 'reads', content: 'reads' } as const
const faults = ['project_archived'] as const
const change = { ...CHANGE, tag, access: 'viewer', params: answerParams } as const

/** Operations on stored answers and feedback. */
export const answerOperations = {
  listAnswers: operation({
    ...read,
    access: 'viewer',
    path: `${root}/answers`,
    summary: 'List your stored answers, newest first',
    description:
      'Answers whose cited records are not all in your access scope are left out, so a page can have fewer rows ' +
      'than `limit`.',
    params,
    ...listing(AnswerPage),
    faults: ['invalid_cursor', ...faults],
  }),
  getAnswer: operation({
    ...read,
    access: 'viewer',
    path: one,
    summary: 'Read a stored answer',
    description:
      'Yours, or one that is shared with you. It is kept for 30 days unless `CAIRN_ANSWER_DAYS` says otherwise, and ' +
      'deleted with the first record that it cites. 404 if your access scope does not contain every record that it ' +
      'cites, or is limited to another project than the one that was asked.',
    params: answerParams,
    reply: { json: StoredAnswer },
    faults,
  }),
  deleteAnswer: operation({
    ...change,
    method: 'DELETE',
    path: one,
    summary: 'Delete your stored answer and the feedback on it',
    audit: { event: 'answer.deleted' },
    reply: { json: Done },
  }),
  giveFeedback: operation({
    ...change,
    path: `${one}/feedback`,
    summary: 'Say whether an answer is right',
    description:
      'Your feedback replaces your earlier feedback on this answer. It is deleted with the answer. It trains nothing ' +
      'and changes no other answer.',
    status: 201,
    content: 'reads',
    audit: { event: 'answer.rated' },
    body: {
      json: GiveFeedback,
      example: { verdict: 'wrong', note: 'The launch was moved twice; this is the first date.' },
    },
    reply: { json: Feedback },
    faults: ['sandbox_not_active', ...faults],
  }),
  listFeedback: operation({
    ...read,
    access: 'editor',
    path: `${root}/feedback`,
    summary: 'List feedback with its question and what was retrieved, newest first',
    description:
      'Shows only entries whose cited and retrieved records are all in your access scope, so a page can have fewer ' +
      'rows than `limit`. An access scope that is limited to a project shows only questions that were asked in it.',
    params,
    ...listing(FeedbackPage, { verdict: T.Optional(Choice(VERDICTS, { description: 'Only this verdict.' })) }),
    faults: ['invalid_cursor', ...faults],
  }),
  exportQuestions: operation({
    ...read,
    access: 'editor',
    path: `${root}/feedback/questions.csv`,
    summary: 'Export the questions whose answers were partly right or wrong, as CSV',
    description:
      'Columns: `question`, `expected` (empty, for you to fill in), `record` (the expected records, separated by ' +
      'spaces), `unanswerable`, `verdict`, `note`. Shows the entries that `GET …/feedback` shows, at most the newest ' +
      '10 000. A cell that a spreadsheet would run as a formula begins with an apostrophe.',
    params,
    reply: { text: 'text/csv' },
    faults,
  }),
  shareAnswer: operation({
    ...change,
    path: `${one}/share`,
    summary: 'Let members of the account read your answer',
    description: 'Each of them needs access to every record that it cites.',
    audit: { event: 'answer.shared' },
    reply: { json: Done },
    faults: ['sandbox_not_active'],
  }),
  unshareAnswer: operation({
    ...change,
    method: 'DELETE',
    path: `${one}/share`,
    summary: 'Stop sharing your answer',
    audit: { event: 'answer.unshared' },
    reply: { json: Done },
  }),
}

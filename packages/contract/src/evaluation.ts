import { Accepted } from './ingest.ts'
import { JOB_STATES } from './job.ts'
import { CHANGE, CREATE, operation, READ } from './operation.ts'
import { OUTCOMES, questionFields } from './question.ts'
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
import { DETAIL_LEVELS } from './search.ts'

export const GRADES = ['right', 'partly', 'wrong', 'rightly_unanswered', 'wrongly_unanswered', 'ungraded'] as const
export type Grade = (typeof GRADES)[number]

/** Graders: comparison of texts, or the configured language model. */
export const GRADERS = ['match', 'model'] as const

const QUESTIONS_MAX = 500
const EXPECTED_CHARS_MAX = 2_000
const RECORDS_CHARS_MAX = 4_000

export const EvaluationQuestion = T.Object({
  question: questionFields.query,
  expected: Maybe(
    T.String({
      maxLength: EXPECTED_CHARS_MAX,
      description: 'The expected answer. `|` separates alternatives; one of them is enough.',
    }),
  ),
  record: Maybe(
    T.String({
      maxLength: RECORDS_CHARS_MAX,
      description: 'The ids of the records that should be cited, separated by spaces.',
    }),
  ),
  unanswerable: Maybe(T.Boolean({ description: 'True if the sandbox does not contain the answer.' })),
})
export type EvaluationQuestion = Static<typeof EvaluationQuestion>

/** Settings of an evaluation for asking and grading. */
export const EvaluationSettings = T.Object({
  project_id: questionFields.project_id,
  preset: questionFields.preset,
  reference_date: questionFields.reference_date,
  time_zone: questionFields.time_zone,
  detail_level: Maybe(Choice(DETAIL_LEVELS, { description: 'Length of the answers.' })),
  writer: Maybe(
    T.Boolean({ default: true, description: 'Lets the configured language model write. Without one it does nothing.' }),
  ),
  judge: Maybe(
    T.Boolean({
      default: false,
      description:
        'Lets the configured language model grade the answers that do not match the expected one. 409 if no model ' +
        'is configured, and in a sandbox with a customer-managed key.',
    }),
  ),
})
export type EvaluationSettings = Static<typeof EvaluationSettings>

/** Request body to start an evaluation. */
export const Evaluate = T.Object({
  questions: T.Array(EvaluationQuestion, {
    minItems: 1,
    maxItems: QUESTIONS_MAX,
    description: `At most ${QUESTIONS_MAX}.`,
  }),
  settings: Maybe(EvaluationSettings),
})
export type Evaluate = Static<typeof Evaluate>

const count = T.Integer({ minimum: 0 })
const counts = T.Object(
  {
    right: count,
    partly: count,
    wrong: count,
    rightly_unanswered: count,
    wrongly_unanswered: count,
    ungraded: count,
  },
  { description: 'Answers by grade.' },
)

export const EvaluationSummary = T.Object({
  evaluation_id: ReplyId('job', 'The id of the evaluation and of its job.'),
  status: Choice(JOB_STATES),
  error_message: Maybe(T.String({ description: 'Why it failed or waits, and what to do.' })),
  settings: EvaluationSettings,
  questions: T.Integer({ minimum: 0, description: 'Number of questions in the request.' }),
  asked: T.Integer({ minimum: 0, description: 'Questions that were asked so far and are still stored.' }),
  erased: T.Integer({ minimum: 0, description: 'Questions that were deleted with a record that they cite.' }),
  counts,
  statements: T.Integer({ minimum: 0, description: 'Statements of all answers.' }),
  unsupported: T.Integer({
    minimum: 0,
    description: 'Statements that their cited records do not support, by a comparison of words.',
  }),
  writer: Nullable(T.String({ description: 'The language model that wrote answers; null if none was to write.' })),
  judge: Nullable(T.String({ description: 'The language model that graded answers; null if none did.' })),
  created_at: Moment('When it was started.'),
  started_at: Maybe(Moment('When the first question was asked.')),
  completed_at: Maybe(Moment('When it ended.')),
  expires_at: Moment('When it is deleted.'),
})
export type EvaluationSummary = Static<typeof EvaluationSummary>

/** One question of an evaluation with its answer. */
export const EvaluationResult = T.Object({
  position: T.Integer({ minimum: 1, description: 'Its position in the request, from 1.' }),
  ...EvaluationQuestion.properties,
  grade: Nullable(Choice(GRADES, { description: 'Null until it is asked.' })),
  graded_by: T.Optional(Choice(GRADERS, { description: 'The grader.' })),
  outcome: T.Optional(Choice(OUTCOMES)),
  answer: T.Optional(T.String({ description: 'The answer as it was given.' })),
  written_by_model: T.Optional(T.Boolean({ description: 'True if a language model wrote the answer.' })),
  cited: T.Optional(T.Array(T.String(), { description: 'The records that the answer cites.' })),
  missing_records: T.Optional(T.Array(T.String(), { description: 'Expected records that the answer does not cite.' })),
  statements: T.Optional(T.Integer({ minimum: 0, description: 'Statements of the answer.' })),
  unsupported: T.Optional(T.Array(T.String(), { description: 'Statements that their cited records do not support.' })),
  warnings: T.Optional(T.Array(T.String(), { description: 'The warnings of the answer.' })),
  duration_ms: T.Optional(T.Number({ description: 'Duration of the query in milliseconds.' })),
})
export type EvaluationResult = Static<typeof EvaluationResult>

export const Evaluation = T.Object({
  ...EvaluationSummary.properties,
  results: T.Array(EvaluationResult, {
    description: 'The questions whose cited and expected records are all in your access scope, in their order.',
  }),
})
export type Evaluation = Static<typeof Evaluation>

export const EvaluationPage = Page('evaluations', EvaluationSummary)
export type EvaluationPage = Static<typeof EvaluationPage>

const tag = 'Query'
const root = '/api/v1/query/sandboxes/:sandbox_id/evaluations'
const one = `${root}/:evaluation_id`
const params = T.Object(sandboxParams)
const oneParams = T.Object({ ...sandboxParams, evaluation_id: PathId('The evaluation.', 'job') })
const access = 'editor'
const read = { ...READ, tag, access, rated: 'reads', content: 'reads' } as const

export const evaluationOperations = {
  evaluate: operation({
    ...CREATE,
    status: 202,
    tag,
    access,
    content: 'reads',
    path: root,
    summary: 'Ask many questions in the background and grade the answers',
    description:
      'The questions are asked in your access scope, one after another, and each counts against the queries a ' +
      'minute of the sandbox. Your newest 20 evaluations of a sandbox are kept, for 30 days unless ' +
      '`CAIRN_ANSWER_DAYS` says otherwise. At most five of yours may be unfinished. A question is deleted together ' +
      'with the first record that its answer cites or that it expects.',
    audit: { event: 'evaluation.started' },
    params,
    body: {
      json: Evaluate,
      example: {
        questions: [
          { question: 'When will Harbour launch?', expected: '3 June | 2026-06-03' },
          { question: 'Who is the CEO of Harbour?', unanswerable: true },
        ],
        settings: { preset: 'auto' },
      },
    },
    reply: { json: Accepted },
    faults: ['sandbox_not_active', 'project_archived', 'preset_reserved', 'conflict', 'quota_exceeded'],
  }),
  listEvaluations: operation({
    ...read,
    path: root,
    summary: 'List your evaluations, newest first',
    params,
    ...listing(EvaluationPage),
    faults: ['invalid_cursor', 'project_archived'],
  }),
  getEvaluation: operation({
    ...read,
    path: one,
    summary: 'Show an evaluation with every question, answer and grade',
    params: oneParams,
    reply: { json: Evaluation },
    faults: ['project_archived'],
  }),
  deleteEvaluation: operation({
    ...CHANGE,
    method: 'DELETE',
    tag,
    access,
    path: one,
    summary: 'Stop and delete an evaluation with its questions and answers',
    audit: { event: 'evaluation.deleted' },
    params: oneParams,
    reply: { json: Done },
  }),
}

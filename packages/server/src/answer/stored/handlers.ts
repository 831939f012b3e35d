import type { answerOperations } from '@cairnstore/contract'
import type { AnswerHandlers } from '../context.ts'
import { giveFeedback } from './feedback.ts'
import { exportQuestions, listFeedback } from './list-feedback.ts'
import { deleteAnswer, getAnswer, listAnswers, shareAnswer } from './read-answers.ts'

/** Handlers of the operations on stored answers and feedback. */
export const handlers: AnswerHandlers<typeof answerOperations> = {
  listAnswers: (ctx, { reach, query }) => listAnswers(ctx, reach, query),
  getAnswer: (ctx, { reach, params }) => getAnswer(ctx, reach, params.answer_id),
  deleteAnswer: (ctx, { reach, params }) => deleteAnswer(ctx, reach, params.answer_id),
  giveFeedback: (ctx, { reach, params, body }) => giveFeedback(ctx, reach, params.answer_id, body),
  listFeedback: (ctx, { reach, query }) => listFeedback(ctx, reach, query),
  exportQuestions: (ctx, { reach }) => exportQuestions(ctx, reach),
  shareAnswer: (ctx, { reach, params }) => shareAnswer(ctx, reach, params.answer_id, true),
  unshareAnswer: (ctx, { reach, params }) => shareAnswer(ctx, reach, params.answer_id, false),
}

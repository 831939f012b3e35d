import type { answerOperations } from '@cairnstore/contract'
import type { AnswerHandlers } from '../context.ts'
import { giveFeedback } from './feedback.ts'
import { exportQuestions, listFeedback } from './list-feedback.ts'
import { deleteAnswer, getAnswer, listAnswers, shareAnswer } from './read-answers.ts'

export const handlers: AnswerHandlers<typeof answerOperations> = {
  listAnswers: (ctx, { access, query }) => listAnswers(ctx, access, query),
  getAnswer: (ctx, { access, params }) => getAnswer(ctx, access, params.answer_id),
  deleteAnswer: (ctx, { access, params }) => deleteAnswer(ctx, access, params.answer_id),
  giveFeedback: (ctx, { access, params, body }) => giveFeedback(ctx, access, params.answer_id, body),
  listFeedback: (ctx, { access, query }) => listFeedback(ctx, access, query),
  exportQuestions: (ctx, { access }) => exportQuestions(ctx, access),
  shareAnswer: (ctx, { access, params }) => shareAnswer(ctx, access, params.answer_id, true),
  unshareAnswer: (ctx, { access, params }) => shareAnswer(ctx, access, params.answer_id, false),
}

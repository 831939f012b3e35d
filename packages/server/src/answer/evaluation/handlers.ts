import type { evaluationOperations } from '@cairnstore/contract'
import type { AnswerHandlers } from '../context.ts'
import { deleteEvaluation, getEvaluation, listEvaluations } from './read-evaluations.ts'
import { startEvaluation } from './start-evaluation.ts'

/** Handlers of the evaluation operations. */
export const handlers: AnswerHandlers<typeof evaluationOperations> = {
  evaluate: (ctx, { reach, body }) => startEvaluation(ctx, reach, body),
  listEvaluations: (ctx, { reach, query }) => listEvaluations(ctx, reach, query),
  getEvaluation: (ctx, { reach, params }) => getEvaluation(ctx, reach, params.evaluation_id),
  deleteEvaluation: (ctx, { reach, params }) => deleteEvaluation(ctx, reach, params.evaluation_id),
}

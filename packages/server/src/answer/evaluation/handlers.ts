import type { evaluationOperations } from '@cairnstore/contract'
import type { AnswerHandlers } from '../context.ts'
import { deleteEvaluation, getEvaluation, listEvaluations } from './read-evaluations.ts'
import { startEvaluation } from './start-evaluation.ts'

export const handlers: AnswerHandlers<typeof evaluationOperations> = {
  evaluate: (ctx, { access, body }) => startEvaluation(ctx, access, body),
  listEvaluations: (ctx, { access, query }) => listEvaluations(ctx, access, query),
  getEvaluation: (ctx, { access, params }) => getEvaluation(ctx, access, params.evaluation_id),
  deleteEvaluation: (ctx, { access, params }) => deleteEvaluation(ctx, access, params.evaluation_id),
}

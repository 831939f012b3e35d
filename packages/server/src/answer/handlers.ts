import type { Interpretation, queryOperations, SearchAnswer } from '@cairnstore/contract'
import { reply } from '../tenancy/handler.ts'
import type { AnswerHandlers } from './context.ts'
import { discover } from './discover.ts'
import { gatherContext } from './gather-context.ts'
import { interpret } from './interpret.ts'
import { origins } from './origins.ts'
import { search } from './search.ts'
import { keepAnswer } from './stored/keep-answer.ts'
import { lastOf, streamBrief, toldHeaders } from './telling.ts'

const OK = 200

export const handlers: AnswerHandlers<typeof queryOperations> = {
  discover: async (ctx, { reach, body }) => {
    const answered = await discover(ctx, reach, body)
    return reply(OK, answered.reply, toldHeaders(answered.how))
  },

  interpret: async (ctx, { reach, body, wantsStream }) => {
    const briefOf = ({ brief }: Interpretation) => brief
    const parts = keepAnswer(ctx, reach, body, interpret(ctx, reach, body, wantsStream), briefOf)
    if (wantsStream) return streamBrief(parts, briefOf)
    const answered = await lastOf(parts)
    return reply(OK, answered.reply, toldHeaders(answered.how))
  },

  search: async (ctx, { reach, body, wantsStream }) => {
    const answerOf = ({ answer }: SearchAnswer) => answer
    const parts = keepAnswer(ctx, reach, body, search(ctx, reach, body, wantsStream), answerOf)
    if (wantsStream) return streamBrief(parts, answerOf)
    const answered = await lastOf(parts)
    return reply(OK, answered.reply, toldHeaders(answered.how))
  },

  gatherContext: async (ctx, { reach, body }) => {
    const answered = await gatherContext(ctx, reach, body)
    return reply(OK, answered.reply, toldHeaders(answered.how))
  },

  listOrigins: (ctx, { reach, body }) => origins(ctx, reach, body),
}

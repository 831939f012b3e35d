import type { Interpretation, queryOperations, SearchAnswer } from '@cairnstore/contract'
import { reply } from '../tenancy/handler.ts'
import { answerHeaders, lastOf, streamBrief } from './answer-meta.ts'
import type { AnswerHandlers } from './context.ts'
import { discover } from './discover.ts'
import { gatherContext } from './gather-context.ts'
import { interpret } from './interpret.ts'
import { origins } from './origins.ts'
import { search } from './search.ts'
import { withStoredAnswer } from './stored/store-answer.ts'

const OK = 200

export const handlers: AnswerHandlers<typeof queryOperations> = {
  discover: async (ctx, { access, body }) => {
    const answered = await discover(ctx, access, body)
    return reply(OK, answered.reply, answerHeaders(answered.how))
  },

  interpret: async (ctx, { access, body, wantsStream }) => {
    const briefOf = ({ brief }: Interpretation) => brief
    const parts = withStoredAnswer(ctx, access, body, interpret(ctx, access, body, wantsStream), briefOf)
    if (wantsStream) return streamBrief(parts, briefOf)
    const answered = await lastOf(parts)
    return reply(OK, answered.reply, answerHeaders(answered.how))
  },

  search: async (ctx, { access, body, wantsStream }) => {
    const answerOf = ({ answer }: SearchAnswer) => answer
    const parts = withStoredAnswer(ctx, access, body, search(ctx, access, body, wantsStream), answerOf)
    if (wantsStream) return streamBrief(parts, answerOf)
    const answered = await lastOf(parts)
    return reply(OK, answered.reply, answerHeaders(answered.how))
  },

  gatherContext: async (ctx, { access, body }) => {
    const answered = await gatherContext(ctx, access, body)
    return reply(OK, answered.reply, answerHeaders(answered.how))
  },

  listOrigins: (ctx, { access, body }) => origins(ctx, access, body),
}

import type { queryOperations } from '@cairn/contract'
import { events, type Handlers } from '../handler.ts'
import { discover } from './discover.ts'
import { interpret } from './interpret.ts'
import { origins } from './origins.ts'
import { search } from './search.ts'
import { briefParts } from './stream-brief.ts'

export const handlers: Handlers<typeof queryOperations> = {
  discover: (ctx, { reach, body }) => discover(ctx, reach, body),

  interpret: async (ctx, { reach, body, wantsStream }) => {
    const interpretation = await interpret(ctx, reach, body)
    return wantsStream ? events(briefParts(interpretation)) : interpretation
  },

  search: (ctx, { reach, body }) => search(ctx, reach, body),

  origins: (ctx, { reach, body }) => origins(ctx, reach, body),
}

import type { importOperations } from '@cairn/contract'
import type { Handlers } from '../context.ts'
import { importKnowledge } from './import-knowledge.ts'

export const handlers: Handlers<typeof importOperations> = {
  importKnowledge: (ctx, { reach, query, body, lines, upload, reading, waitSeconds }) =>
    importKnowledge(ctx, reach, { query, body, lines, upload, reading, waitSeconds }),
}

import type { usageOperations } from '@cairnstore/contract'
import type { Handlers } from '../context.ts'
import { getUsage, getUsageBalance } from './get-usage.ts'

/** Answers the operations on what an account uses. */
export const handlers: Handlers<typeof usageOperations> = {
  getUsage: (ctx, { query }) => getUsage(ctx, query),
  getUsageBalance: (ctx) => getUsageBalance(ctx),
}

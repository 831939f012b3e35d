import type { sandboxOperations } from '@cairn/contract'
import type { Handlers } from '../handler.ts'
import { createSandbox } from './create-sandbox.ts'
import { deleteSandbox } from './delete-sandbox.ts'
import { getSandboxUsage } from './get-sandbox-usage.ts'
import { listSandboxes } from './list-sandboxes.ts'
import { wireSandbox } from './store.ts'
import { updateSandbox } from './update-sandbox.ts'

/** Answers the operations on sandboxes. */
export const handlers: Handlers<typeof sandboxOperations> = {
  createSandbox: (ctx, { body }) => createSandbox(ctx, body),
  listSandboxes: (ctx, { query }) => listSandboxes(ctx, query),
  getSandbox: async (ctx, { reach }) => wireSandbox(reach.sandbox, ctx.limits, reach.role),
  getSandboxUsage: (ctx, { reach }) => getSandboxUsage(ctx, reach),
  updateSandbox: (ctx, { reach, body }) => updateSandbox(ctx, reach, body),
  deleteSandbox: (ctx, { reach }) => deleteSandbox(ctx, reach),
}

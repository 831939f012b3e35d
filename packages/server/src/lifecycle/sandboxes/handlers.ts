import type { sandboxOperations } from '@cairn/contract'
import { listSandboxes } from '../../tenancy/sandboxes/list-sandboxes.ts'
import { wireSandbox } from '../../tenancy/sandboxes/store.ts'
import type { Handlers } from '../context.ts'
import { createSandbox } from './create-sandbox.ts'
import { deleteSandbox } from './delete-sandbox.ts'
import { getSandboxUsage } from './get-sandbox-usage.ts'
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

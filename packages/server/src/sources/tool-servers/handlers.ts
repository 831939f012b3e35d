import type { trackerOperations, userMcpOperations } from '@cairn/contract'
import type { Handlers } from '../context.ts'
import { registerTracker } from './register-tracker.ts'
import { registerUserMcp } from './register-user-mcp.ts'
import { revokeUserMcp } from './revoke-user-mcp.ts'
import { testUserMcp } from './test-user-mcp.ts'
import { updateUserMcp } from './update-user-mcp.ts'

/** Answers the operations on sources that are servers of tools. */
export const handlers: Handlers<typeof userMcpOperations & typeof trackerOperations> = {
  registerTracker: (ctx, { reach, body }) => registerTracker(ctx, reach, body),
  registerUserMcp: (ctx, { reach, body }) => registerUserMcp(ctx, reach, body),
  updateUserMcp: (ctx, { reach, params, body }) => updateUserMcp(ctx, reach, params.source_id, body),
  testUserMcp: (ctx, { reach, params }) => testUserMcp(ctx, reach, params.source_id),
  revokeUserMcp: (ctx, { reach, params }) => revokeUserMcp(ctx, reach, params.source_id),
}

import type { McpMessage, mcpOperations, TOOL_SETS } from '@cairnstore/contract'
import type { Caller } from '../tenancy/caller.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { McpHandlers, ToolCtx } from './tools/tool.ts'

interface MessageInput {
  reach: Reach
  query: { project?: string; tools?: (typeof TOOL_SETS)[number] }
  headers: Readonly<Record<string, string | undefined>>
  body: McpMessage
}

/** Answers the operations by which agents reach a sandbox. */
export const handlers: McpHandlers<typeof mcpOperations> = {
  sendMcpMessage: (ctx, asked) => answer(ctx, asked, false),
  sendMcpMessagePrimary: (ctx, asked) => answer(ctx, asked, true),
}

async function answer(ctx: ToolCtx, { reach, query, headers, body }: MessageInput, isPrimary: boolean) {
  // The protocol is loaded when an agent first comes: most starts need none.
  const { answerMessage, openServer } = await import('./open-server.ts')
  const door = {
    project: query.project ?? null,
    isReading: query.tools === 'read' || !mayWrite(ctx.caller),
    // A server of tools knows nothing of a project.
    isLive: query.tools === 'live' && query.project === undefined && reach.projectId === null,
    isPrimary,
  }
  return answerMessage(ctx, headers, body, () => openServer({ ctx, reach, door }))
}

/** Whether the credential is one to write with, whatever the role. */
function mayWrite({ credential }: Caller): boolean {
  return credential.kind !== 'jwt' || credential.scopes?.includes('cairn:write') === true
}

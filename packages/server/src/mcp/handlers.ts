import type { McpMessage, mcpOperations, TOOL_SETS } from '@cairnstore/contract'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { McpHandlers, ToolCtx } from './tools/tool.ts'

interface MessageInput {
  access: AccessScope
  query: { project?: string; tools?: (typeof TOOL_SETS)[number] }
  headers: Readonly<Record<string, string | undefined>>
  body: McpMessage
}

export const handlers: McpHandlers<typeof mcpOperations> = {
  sendMcpMessage: (ctx, input) => answer(ctx, input, false),
  sendMcpMessagePrimary: (ctx, input) => answer(ctx, input, true),
}

async function answer(ctx: ToolCtx, { access, query, headers, body }: MessageInput, isPrimary: boolean) {
  // The protocol library is loaded on first use, because most processes do not need it.
  const { answerMessage, openServer } = await import('./open-server.ts')
  const endpoint = {
    project: query.project ?? null,
    isReadOnly: query.tools === 'read' || !mayWrite(ctx.caller),
    // Tool servers do not know projects, so their tools are not offered within one.
    isLive: query.tools === 'live' && query.project === undefined && access.projectId === null,
    isPrimary,
  }
  return answerMessage(ctx, headers, body, () => openServer({ ctx, access, endpoint }))
}

/** Returns true if the credential permits writing. The caller's role is checked elsewhere. */
function mayWrite({ credential }: Caller): boolean {
  return credential.kind !== 'jwt' || credential.scopes?.includes('cairn:write') === true
}

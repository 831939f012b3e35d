import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Anything, Choice, GivenId, type Static, Type as T } from './schema.ts'

/** Tool sets of an endpoint: `read` has only read-only tools; `live` adds those of the sandbox's tool servers. */
export const TOOL_SETS = ['read', 'live'] as const

const METHOD_CHARS_MAX = 255

/** A message of the Model Context Protocol (JSON-RPC 2.0). */
export const McpMessage = T.Object({
  jsonrpc: Choice(['2.0']),
  id: T.Optional(T.Unsafe<string | number>({ type: ['string', 'integer'], description: 'Absent for a notification.' })),
  method: T.Optional(T.String({ minLength: 1, maxLength: METHOD_CHARS_MAX, description: 'For example `tools/call`.' })),
  params: T.Optional(Anything('The parameters of the method.')),
})
export type McpMessage = Static<typeof McpMessage>

/** A protocol error (JSON-RPC 2.0). */
export const McpFailure = T.Object({
  jsonrpc: Choice(['2.0']),
  id: T.Unsafe<string | number | null>({
    type: ['string', 'integer', 'null'],
    description: 'The id of the message, if it has one.',
  }),
  error: T.Object({
    code: T.Integer({ description: 'An error code of JSON-RPC or of the protocol.' }),
    message: T.String({ description: 'A description of the error.' }),
    data: T.Optional(Anything('Additional data.')),
  }),
})

const tag = 'MCP'
const endpoint = {
  method: 'POST',
  tag,
  access: 'viewer',
  audit: { event: 'mcp.tool_called' },
  retry: 'ask',
  content: 'mentions',
  calls: true,
  query: T.Object({
    project: T.Optional(GivenId('Only records of this project.')),
    tools: T.Optional(
      Choice(TOOL_SETS, {
        description: '`read`: only tools that read. `live`: also the tools of connected tool servers.',
      }),
    ),
  }),
  headers: T.Object({
    'mcp-protocol-version': T.Optional(T.String({ description: 'The version of the protocol.' })),
    'mcp-method': T.Optional(T.String({ description: 'The method, from 2026-07-28 on.' })),
    'mcp-name': T.Optional(T.String({ description: 'The tool, prompt or resource, from 2026-07-28 on.' })),
  }),
  body: {
    json: McpMessage,
    example: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sources', arguments: {} } },
  },
  status: 200,
  reply: {
    json: Anything('A JSON-RPC message.'),
    isWritten: true,
    failure: McpFailure,
    otherwise: { status: 202, when: 'It was a notification.' },
  },
} as const

const description =
  'One message of the Model Context Protocol over streamable HTTP, without sessions: 2026-07-28, and the handshake ' +
  'of 2025. Tools call the operations of this API as the caller, under their roles, limits and audit events. Replies ' +
  'are JSON-RPC as JSON; protocol errors are 400 or 404 with a JSON-RPC error.'

/** MCP endpoints for agents. */
export const mcpOperations = {
  sendMcpMessage: operation({
    ...endpoint,
    path: '/mcp/:sandbox_id',
    summary: 'Use a sandbox over the Model Context Protocol',
    description,
    params: T.Object(sandboxParams),
    faults: ['foreign_origin', 'project_archived'],
  }),
  sendMcpMessagePrimary: operation({
    ...endpoint,
    path: '/mcp',
    summary: 'Use your primary sandbox over the Model Context Protocol',
    description,
    faults: ['foreign_origin', 'no_primary_sandbox', 'project_archived'],
  }),
}

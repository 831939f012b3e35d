import { stoppedBy, timeoutSignal } from '../../../base/timeout-signal.ts'
import type { McpServer, McpTool } from '../pull.ts'
import { McpFailure } from './mcp-failure.ts'
import { type McpPort, withMcpSession } from './mcp-session.ts'
import { listTools } from './tools.ts'

/** How long a whole check may take. */
const CHECK_MS_MAX = 10_000

/**
 * Checks a server once: opens a session and lists its tools. Throws a McpFailure, `allowed_tool_missing` when one of
 * the needed names is not among them.
 */
export async function checkServer(
  server: McpServer,
  { fetch, signal }: McpPort,
  needed: readonly string[],
): Promise<McpTool[]> {
  const stop = stoppedBy(signal, timeoutSignal(CHECK_MS_MAX))
  try {
    const tools = await withMcpSession(server, { fetch, signal: stop.signal }, listTools)
    const names = new Set(tools.map(({ name }) => name))
    if (!needed.every((name) => names.has(name))) throw new McpFailure('allowed_tool_missing')
    return tools
  } finally {
    stop.abort()
  }
}

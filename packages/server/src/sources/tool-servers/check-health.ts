import type { Row } from '../../db/tables.ts'
import { nextSourceState } from '../../tenancy/sources/source-states.ts'
import { checkServer } from '../connectors/mcp/check-server.ts'
import { type McpFailure, toMcpFailure } from '../connectors/mcp/mcp-failure.ts'
import type { McpServer, McpTool } from '../connectors/pull.ts'
import type { Ctx } from '../context.ts'
import { toolFetch } from './tool-port.ts'

/** What a check of a server found. */
export type Checked = { failure: undefined; tools: McpTool[] } | { failure: McpFailure; tools: undefined }

/** A server that failed is tried again by itself after so long, unless it asks for more. */
const AGAIN_MS = 60_000

/** Checks a server once; what goes wrong there is part of the answer. */
export async function checkHealth(
  ctx: Pick<Ctx, 'network' | 'signal'>,
  server: McpServer,
  needed: readonly string[],
  fetch: typeof globalThis.fetch = toolFetch(ctx.network),
): Promise<Checked> {
  try {
    return { failure: undefined, tools: await checkServer(server, { fetch, signal: ctx.signal }, needed) }
  } catch (cause) {
    return { failure: toMcpFailure(cause), tools: undefined }
  }
}

/** The columns of a source's row after a check, by its state. */
export function stateAfter(
  ctx: Pick<Ctx, 'clock'>,
  status: Row<'source'>['status'],
  { failure }: Checked,
): Pick<Row<'source'>, 'status' | 'last_error' | 'next_poll_at'> {
  const next = nextSourceState(status, failure ? 'health_failed' : 'health_passed')
  const againMs = Math.max(AGAIN_MS, failure?.retryAfterMs ?? 0)
  return {
    status: next === 'refused' ? status : next,
    last_error: failure?.reason ?? null,
    next_poll_at: failure ? new Date(ctx.clock.now().getTime() + againMs) : null,
  }
}

import type { Id, Outcome } from '@cairnstore/contract'
import { Fault, fieldRefusal } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { nextSourceState, RETIRED } from '../../tenancy/sources/source-rows.ts'
import type { McpServer, McpTool } from '../connectors/connector.ts'
import { providerKey, USER_MCP } from '../connectors/connector-for.ts'
import { checkServer } from '../connectors/mcp/mcp-session.ts'
import { type McpFailure, toMcpFailure } from '../connectors/mcp/mcp-transport.ts'
import type { SourcesCtx } from '../context.ts'
import { findCredential } from '../registry/store.ts'
import { toolFetch } from './tool-port.ts'

/** Throws `wrong_kind` unless the source is an MCP server that a user connected. */
export function assertUserMcp({ provider }: Pick<Row<'source'>, 'provider'>): void {
  if (providerKey(provider) !== USER_MCP) throw new Fault('wrong_kind')
}

/** Throws `source_not_active` for a source that is disconnected or archived. */
export function assertLive({ status }: Pick<Row<'source'>, 'status'>): void {
  if (RETIRED.some((state) => state === status)) {
    throw new Fault('source_not_active', { detail: `The source is ${status}.` })
  }
}

/** Throws a refusal if another live source of the sandbox has the namespace. The sandbox's row must be locked. */
export async function assertNamespaceFree(
  tx: Tx,
  scope: AccessScope,
  sourceId: string,
  namespace: string,
): Promise<void> {
  const rows = await tx
    .selectFrom('source')
    .select(['id', 'adapter_config'])
    .where(ofSandbox(scope, { provider: USER_MCP }))
    .where('status', 'not in', RETIRED)
    .where('id', '!=', sourceId)
    .execute()
  if (rows.some(({ adapter_config: config }) => config.app_namespace === namespace)) {
    throw fieldRefusal('app_namespace_taken', 'app_namespace')
  }
}

/** Returns the token of an MCP server; undefined if it needs none. Throws `missing` and `mismatch`. */
export async function openToken(
  { sql, secrets, key }: Pick<SourcesCtx, 'sql' | 'secrets' | 'key'>,
  source: Row<'source'>,
): Promise<string | undefined> {
  return sql.transact(source.user_id, (tx) => findCredential(secrets, tx, source, key?.seal))
}

export function outcomeOf(row: Row<'source'>, failure?: HealthCheck['failure']): Outcome {
  const outcome: Outcome = {
    data_source_id: row.id as Id<'source'>,
    status: row.status,
    name: row.name,
    ingestion_mode: row.ingestion_mode,
    health_error: failure?.health ?? null,
    error: null,
    detail: null,
  }
  return withVersion(outcome, row.version)
}

export type HealthCheck = { failure: undefined; tools: McpTool[] } | { failure: McpFailure; tools: undefined }

/** Minimum milliseconds before a failed server is polled again. */
const RETRY_MS = 60_000

/** Checks a server once. An error of the server is part of the result. */
export async function checkHealth(
  ctx: Pick<SourcesCtx, 'network' | 'signal'>,
  server: McpServer,
  needed: readonly string[],
  fetch: typeof globalThis.fetch = toolFetch(ctx.network),
): Promise<HealthCheck> {
  try {
    return { failure: undefined, tools: await checkServer(server, { fetch, signal: ctx.signal }, needed) }
  } catch (cause) {
    return { failure: toMcpFailure(cause), tools: undefined }
  }
}

/** Returns the state columns of a source's row after a check. */
export function stateAfter(
  ctx: Pick<SourcesCtx, 'clock'>,
  status: Row<'source'>['status'],
  { failure }: HealthCheck,
): Pick<Row<'source'>, 'status' | 'last_error' | 'next_poll_at'> {
  const next = nextSourceState(status, failure ? 'health_failed' : 'health_passed')
  const retryMs = Math.max(RETRY_MS, failure?.retryAfterMs ?? 0)
  return {
    status: next === 'refused' ? status : next,
    last_error: failure?.reason ?? null,
    next_poll_at: failure ? new Date(ctx.clock.now().getTime() + retryMs) : null,
  }
}

import { HEALTH_ERRORS, type HealthError } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { abortedBy, timeoutSignal } from '../../base/timeout-signal.ts'
import type { Row } from '../../db/tables.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { recordLater } from '../../tenancy/audit/audited-sql.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { sourcesIn } from '../../tenancy/sources/source-rows.ts'
import type { McpTool } from '../connectors/connector.ts'
import { USER_MCP } from '../connectors/connector-for.ts'
import { callTool, listTools, type McpResult, type McpSession, withMcpSession } from '../connectors/mcp/mcp-session.ts'
import { toMcpFailure } from '../connectors/mcp/mcp-transport.ts'
import type { SourcesCtx } from '../context.ts'
import { consentRefOf } from '../oauth/consent-rows.ts'
import { toolPinsOf } from '../registry/store.ts'
import { openToken } from './store.ts'
import {
  callRate,
  isApproved,
  neededTools,
  pinsAfter,
  serverOf,
  settingsIn,
  storePins,
  toolFetch,
} from './tool-port.ts'

/** A tool of an MCP server with the name under which a sandbox offers it. */
export interface LiveTool {
  /** The server's namespace, two underscores and the tool's name. */
  readonly name: string
  readonly description: string | undefined
  readonly inputSchema: Record<string, unknown>
}

type ToolContext = Pick<
  SourcesCtx,
  'findProfile' | 'sql' | 'secrets' | 'key' | 'clock' | 'rates' | 'network' | 'oauth' | 'log' | 'caller' | 'requestId'
>

const SEPARATOR = '__'
/** Timeout of a call in milliseconds, including its session's setup. */
const CALL_MS_MAX = 30_000
const MINUTE_SECONDS = 60

/**
 * Returns the callable tools of every active server within the access scope. Skips servers that fail, and those whose
 * credential needs a customer-managed key that the request does not have.
 */
export async function listLiveTools(ctx: ToolContext, scope: AccessScope, signal: AbortSignal): Promise<LiveTool[]> {
  const sources = await activeServers(ctx, scope)
  const offered = await Promise.all(
    sources
      .filter((source) => ctx.key || !source.credential_under_key)
      .map(async (source) => {
        try {
          const tools = await inSession(ctx, source, signal, true, (session) => listTools(session))
          const pins = await refreshPins(ctx, source, tools)
          return tools.filter((tool) => isCallable(source, pins, tool)).map((tool) => toLive(source, tool))
        } catch (error) {
          ctx.log.warn('tools not listed', { sourceId: source.id, error: toMcpFailure(error).health })
          return []
        }
      }),
  )
  return offered.flat()
}

/**
 * Calls a tool by its offered name. Sends nothing to the server unless the tool is allowed by its exact name and the
 * rate limit permits the call. Returns a failure of the server or the tool as an error result. Throws `not_found`,
 * `rate_limited`, `sandbox_not_active`, and `missing` if the server's credential needs the customer-managed key.
 */
export async function callLiveTool(
  ctx: ToolContext,
  scope: AccessScope,
  call: { name: string; parameters: Record<string, unknown> },
  signal: AbortSignal,
): Promise<McpResult> {
  assertWritable(scope)
  const sources = await activeServers(ctx, scope)
  const source = sources.find((one) => call.name.startsWith(prefixOf(one)))
  if (!source) throw new Fault('not_found')
  const name = call.name.slice(prefixOf(source).length)
  const { allowed_tools: allowed } = settingsIn(source.adapter_config)
  if ((allowed && !allowed.includes(name)) || isPinnedAsChanged(source, name)) throw new Fault('not_found')
  if (source.credential_under_key && !ctx.key) throw new Fault('missing')
  const taken = await ctx.rates.takeOne(callRate(source))
  if (taken.granted === 0) {
    const detail = `This source allows ${taken.limit} calls per minute. Wait for the seconds in Retry-After.`
    throw new Fault('rate_limited', { detail, retryAfterSeconds: taken.resetSeconds || MINUTE_SECONDS })
  }
  try {
    const tools = await inSession(ctx, source, signal, true, (session) => listTools(session))
    const pins = await refreshPins(ctx, source, tools)
    const tool = tools.find((one) => one.name === name)
    if (!tool || !isCallable(source, pins, tool)) throw new Fault('not_found')
    return await inSession(ctx, source, signal, tool.isReadOnly, (session) => callTool(session, tool, call.parameters))
  } catch (error) {
    if (error instanceof Fault) throw error
    return failed(toMcpFailure(error).health)
  }
}

async function activeServers(ctx: ToolContext, scope: AccessScope): Promise<Row<'source'>[]> {
  return ctx.sql.transact(scope.holderId, (tx) =>
    sourcesIn(tx, scope)
      .selectAll('source')
      .where('source.provider', '=', USER_MCP)
      .where('source.status', '=', 'active')
      .orderBy('source.id')
      .execute(),
  )
}

async function inSession<T>(
  ctx: ToolContext,
  source: Row<'source'>,
  signal: AbortSignal,
  isRepeatable: boolean,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  const tokens = ctx.oauth.tokensOf(consentRefOf(source))
  const server = serverOf(settingsIn(source.adapter_config), await openToken(ctx, source), tokens)
  const stop = abortedBy(signal, timeoutSignal(CALL_MS_MAX))
  try {
    return await withMcpSession(server, { fetch: toolFetch(ctx.network), signal: stop.signal }, work, isRepeatable)
  } finally {
    stop.abort()
  }
}

/** Marks the tools that were changed or added after the approval, so that they are not called. Returns the new pins. */
async function refreshPins(ctx: ToolContext, source: Row<'source'>, tools: readonly McpTool[]): Promise<Pins> {
  const before = toolPinsOf(source)
  const pins = pinsAfter(before, tools, neededTools(settingsIn(source.adapter_config), ctx.findProfile))
  if (!pins) return before
  const by = { actorId: ctx.caller.accountId, credentialId: ctx.caller.credential.id, requestId: ctx.requestId }
  await ctx.sql.transact(source.user_id, async (tx) => {
    // The detected change is not an action of the caller; the request has its own audit event.
    recordLater(tx)
    await storePins(tx, source, pins, { ...by, now: ctx.clock.now() })
  })
  return pins
}

type Pins = ReturnType<typeof toolPinsOf>

function isPinnedAsChanged(source: Row<'source'>, name: string): boolean {
  const pins = toolPinsOf(source) ?? {}
  return Object.hasOwn(pins, name) && pins[name]?.changed === true
}

function isCallable(source: Row<'source'>, pins: Pins, tool: McpTool): boolean {
  const { allowed_tools: allowed } = settingsIn(source.adapter_config)
  return (!allowed || allowed.includes(tool.name)) && isApproved(pins, tool)
}

function toLive(source: Row<'source'>, { name, description, inputSchema }: McpTool): LiveTool {
  return { name: `${prefixOf(source)}${name}`, description, inputSchema }
}

function prefixOf({ adapter_config: config }: Row<'source'>): string {
  return `${settingsIn(config).app_namespace}${SEPARATOR}`
}

function failed(health: HealthError): McpResult {
  return { isError: true, content: [{ type: 'text', text: HEALTH_ERRORS[health] }], structured: undefined }
}

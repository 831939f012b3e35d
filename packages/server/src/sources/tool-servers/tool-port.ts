import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { AuthKind, IngestToolCall, UpdateUserMcp } from '@cairnstore/contract'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { fieldRefusal } from '../../base/fault.ts'
import { PullFailure } from '../../base/pull-failure.ts'
import { openSafeFetch, type SafeFetch } from '../../base/safe-fetch.ts'
import type { Config } from '../../config/config.ts'
import { appendAudit } from '../../db/audit.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Planes } from '../../store/planes.ts'
import type { RateSubject, Rates } from '../../tenancy/limits/rates.ts'
import type { McpServer, McpTokens, McpTool, ToolServerPort } from '../connectors/connector.ts'
import { providerKey, USER_MCP } from '../connectors/connector-for.ts'
import { ANSWER_BYTES_MAX, ANSWER_MS_MAX } from '../connectors/mcp/mcp-session.ts'
import type { FindProfile } from '../connectors/mcp/profile-for.ts'
import { toolsOf } from '../connectors/mcp/read-profile.ts'
import type { Tracker } from '../context.ts'
import { consentRefOf } from '../oauth/consent-rows.ts'
import type { OAuth } from '../oauth/oauth-port.ts'
import { type ToolPin, toolPinsOf } from '../registry/store.ts'
import { profileAfter, profileIn } from './profile-settings.ts'

/** Dependencies of a pull from an MCP server. */
export interface ToolServers {
  readonly rates: Rates
  readonly network: SafeFetch
  readonly tracker: Tracker
  readonly oauth: Pick<OAuth, 'tokensOf'>
  readonly findProfile: FindProfile
}

/** Credential id and request id of a pull in the audit log. */
const PULL = 'pull'

/** Returns a guarded streaming `fetch` for MCP servers, with a limit of 4 MiB and 10 s per response. */
export function toolFetch(network: SafeFetch): typeof globalThis.fetch {
  return network.streaming({ bytesMax: ANSWER_BYTES_MAX, totalMs: ANSWER_MS_MAX })
}

/** Returns the rate limit of a source's tool calls per minute, which all processes share. */
export function callRate(source: Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id' | 'adapter_config'>): RateSubject {
  const cap = source.adapter_config.rate_cap_per_minute
  return {
    userId: source.user_id,
    sandboxId: source.sandbox_id,
    subjectId: source.id,
    kind: 'tool_calls',
    limit: typeof cap === 'number' ? cap : CAP_DEFAULT,
  }
}

/** Opens the access of a source's pull to its MCP server. */
export function toolPortFor(
  planes: Pick<Planes, 'sql' | 'clock'>,
  { rates, network, tracker, oauth, findProfile }: ToolServers,
  source: Row<'source'>,
  signal: AbortSignal,
): ToolServerPort {
  const isTracker = providerKey(source.provider) !== USER_MCP
  const settings = settingsIn(source.adapter_config)
  return {
    profile: isTracker ? undefined : profileIn(settings, findProfile),
    fetch: isTracker ? tracker.fetch : toolFetch(network),
    serverFor: (token) => {
      if (isTracker) return { url: tracker.url, auth: token ? { kind: 'bearer', token } : { kind: 'none' } }
      return serverOf(settings, token, oauth.tokensOf(consentRefOf(source)))
    },
    approve: async (tools) => {
      // A tracker's connector calls only tools that it names itself, so all of the tracker's tools count as named.
      const named = isTracker ? tools.map(({ name }) => name) : neededTools(settings, findProfile)
      const pins = pinsAfter(toolPinsOf(source), tools, named)
      const by = { now: planes.clock.now(), actorId: source.user_id, credentialId: PULL, requestId: PULL }
      if (pins) await planes.sql.transact(source.user_id, (tx) => storePins(tx, source, pins, by))
      const now = pins ?? toolPinsOf(source)
      return new Set(tools.filter((tool) => isApproved(now, tool)).map(({ name }) => name))
    },
    takeCall: async () => {
      for (;;) {
        const { granted, resetSeconds } = await rates.takeOne(callRate(source))
        if (granted > 0) return
        await sleep((resetSeconds || 1) * MS_PER_SECOND, undefined, { signal })
      }
    },
  }
}

/** Opens the issue tracker's MCP server with its own network client. The operator may set a loopback address. */
export function openTracker({ trackerUrl: url, allowLoopback }: Config): Tracker & { close(): Promise<void> } {
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
  const network = openSafeFetch({ allowLoopback: allowLoopback || isLoopback })
  return { url, fetch: toolFetch(network), close: () => network.close() }
}

/** Digests of the tools at their approval, by name. */
type ToolPins = Readonly<Record<string, ToolPin>>

/** Returns pins that approve the tools in their current form, and mark the named ones that are missing. */
export function pinsOf(tools: readonly McpTool[], named: readonly string[]): Record<string, ToolPin> {
  const listed = new Set(tools.map(({ name }) => name))
  const missing = named.filter((name) => !listed.has(name))
  return Object.fromEntries([
    ...missing.map((name): [string, ToolPin] => [name, { digest: NEVER_LISTED, missing: true }]),
    ...tools.map(({ name, digest }): [string, ToolPin] => [name, { digest }]),
  ])
}

/** Digest of a tool that the settings name and the server has never listed. */
const NEVER_LISTED = ''

/**
 * Compares the listed tools with the pins. Returns the new pins, or undefined if nothing differs. The first listing
 * approves all tools. Later, a tool that was changed or added is marked until a user approves the tools again. As an
 * exception, a tool that the settings name is approved when it is first listed. A named tool that is no longer listed
 * is marked as missing.
 */
export function pinsAfter(
  before: ToolPins | undefined,
  tools: readonly McpTool[],
  named: readonly string[],
): Record<string, ToolPin> | undefined {
  if (before === undefined) return pinsOf(tools, named)
  const after = new Map(
    Object.entries(before).flatMap(([name, { missing: _, ...pin }]) =>
      pin.digest === NEVER_LISTED ? [] : [[name, pin as ToolPin]],
    ),
  )
  for (const { name, digest } of tools) {
    const pin = after.get(name)
    if (pin && (pin.changed || pin.digest === digest)) continue
    after.set(name, { ...(pin ?? { digest }), ...((pin || !named.includes(name)) && { changed: true }) })
  }
  const listed = new Set(tools.map(({ name }) => name))
  for (const name of named.filter((one) => !listed.has(one))) {
    after.set(name, { ...(after.get(name) ?? { digest: NEVER_LISTED }), missing: true })
  }
  const pins = Object.fromEntries(after)
  return isDeepStrictEqual(pins, { ...before }) ? undefined : pins
}

/** Returns true if the pins allow a call of the tool in its current form. */
export function isApproved(pins: ToolPins | undefined, { name, digest }: McpTool): boolean {
  const pin = pins && pinOf(pins, name)
  return pin?.digest === digest && !pin.changed
}

/** Returns the tool's own pin. The server chooses the names, so one may be `constructor`. */
function pinOf(pins: ToolPins, name: string): ToolPin | undefined {
  return Object.hasOwn(pins, name) ? pins[name] : undefined
}

/** Stores the pins at the source. If tools were newly disabled, adds one event to its sandbox's audit log. */
export async function storePins(
  tx: Tx,
  source: Pick<Row<'source'>, 'user_id' | 'sandbox_id' | 'id' | 'tool_pins'>,
  after: Record<string, ToolPin>,
  by: { now: Date; actorId: string; credentialId: string; requestId: string },
): Promise<void> {
  const before = toolPinsOf(source) ?? {}
  const hasNewlyChanged = Object.entries(after).some(([name, pin]) => pin.changed && !pinOf(before, name)?.changed)
  await tx
    .updateTable('source')
    .set({ tool_pins: after as JsonObject })
    .where(ofSandbox(source, { id: source.id }))
    .execute()
  if (!hasNewlyChanged) return
  await appendAudit(tx, {
    user_id: source.user_id,
    chain: source.sandbox_id,
    at: by.now,
    actor_user_id: by.actorId,
    credential_id: by.credentialId,
    event: 'source.tool_disabled',
    subject_id: source.id,
    request_id: by.requestId,
  })
}

/** `adapter_config` of a source that is an MCP server. */
export type ToolServerSettings = {
  base_url: string
  auth_kind: AuthKind
  auth_header?: string
  /** With `oauth`: the scopes to request, and the client that the user registered. */
  scopes?: string[]
  client_id?: string
  app_namespace: string
  /** Exact names. Without the list, every tool may be called. */
  allowed_tools?: string[]
  ingest_tool_calls?: IngestToolCall[]
  /** Name of the profile of the server, and the profile's parameters for each place. */
  server_profile?: string
  profile_parameters?: Record<string, string>[]
  rate_cap_per_minute: number
  webhook_rate_cap_per_minute: number
}

const CAP_DEFAULT = 60
const WEBHOOK_CAP_DEFAULT = 600
/** Headers that control transport, routing or the protocol. They must not be used for a token. */
const RESERVED_HEADERS = [
  /^(host|connection|cookie|upgrade|te|trailer|keep-alive|expect|forwarded|via|transfer-encoding|last-event-id)$/i,
  /^(accept($|-)|content-|mcp-|proxy-|x-forwarded-)/i,
]

/** Returns the settings after a registration or a change. Null and omitted fields keep their values. */
export function settingsAfter(
  change: UpdateUserMcp,
  before: Partial<ToolServerSettings>,
  sourceId: string,
  findProfile: FindProfile,
): ToolServerSettings {
  const merged = <K extends keyof ToolServerSettings & keyof UpdateUserMcp>(name: K) =>
    (change[name] ?? before[name]) as ToolServerSettings[K] | undefined
  const authKind = merged('auth_kind') ?? 'none'
  const authHeader = merged('auth_header')
  const allowed = merged('allowed_tools')
  const calls = merged('ingest_tool_calls')
  const scopes = merged('scopes')
  const clientId = merged('client_id')
  const url = merged('base_url') ?? ''
  return {
    base_url: url,
    auth_kind: authKind,
    ...(authKind === 'header_token' && authHeader && { auth_header: authHeader }),
    ...(authKind === 'oauth' && scopes && { scopes }),
    ...(authKind === 'oauth' && clientId && { client_id: clientId }),
    app_namespace: merged('app_namespace') ?? sourceId,
    ...(allowed && { allowed_tools: [...new Set(allowed)] }),
    ...(calls && calls.length > 0 && { ingest_tool_calls: calls }),
    ...profileAfter(change, before, { base_url: url, ...(allowed && { allowed_tools: allowed }) }, findProfile),
    rate_cap_per_minute: merged('rate_cap_per_minute') ?? CAP_DEFAULT,
    webhook_rate_cap_per_minute: merged('webhook_rate_cap_per_minute') ?? WEBHOOK_CAP_DEFAULT,
  }
}

/** Returns the settings in a source's row. */
export function settingsIn(config: JsonObject): ToolServerSettings {
  return config as ToolServerSettings
}

/**
 * Throws a refusal for contradictory settings, and for a URL that must not be called, such as one that resolves to a
 * private network. A name that does not resolve is reported by the server check instead.
 */
export async function assertValidSettings(
  settings: ToolServerSettings,
  hasToken: boolean,
  givesToken: boolean,
  network: Pick<SafeFetch, 'assertCallable'>,
): Promise<void> {
  const { auth_kind: kind, auth_header: header, allowed_tools: allowed, ingest_tool_calls: calls = [] } = settings
  const isTokenSent = kind === 'bearer' || kind === 'header_token'
  if (!isTokenSent && givesToken) throw fieldRefusal('token_not_expected', 'token')
  if (kind === 'header_token' && header === undefined) throw fieldRefusal('auth_header_required', 'auth_header')
  if (header !== undefined && RESERVED_HEADERS.some((taken) => taken.test(header)))
    throw fieldRefusal('invalid_auth_header', 'auth_header')
  if (isTokenSent && !hasToken) throw fieldRefusal('token_required', 'token')
  if (allowed && !calls.every(({ tool }) => allowed.includes(tool)))
    throw fieldRefusal('tool_not_allowed', 'ingest_tool_calls')
  if (!URL.canParse(settings.base_url)) throw fieldRefusal('invalid_base_url', 'base_url')
  const url = new URL(settings.base_url)
  if (url.hash !== '' || settings.base_url.includes('#')) throw fieldRefusal('base_url_not_allowed', 'base_url')
  try {
    await network.assertCallable(url)
  } catch (cause) {
    if (cause instanceof PullFailure) throw fieldRefusal('base_url_not_allowed', 'base_url')
    throw cause
  }
}

/** Throws a refusal for fields of an OAuth client without `oauth`, and for a client secret without a client id. */
export function assertOAuthFields(
  { auth_kind: kind }: ToolServerSettings,
  { scopes, client_id: id, client_secret: secret }: Pick<UpdateUserMcp, 'scopes' | 'client_id' | 'client_secret'>,
): void {
  const given = scopes != null ? 'scopes' : id != null ? 'client_id' : 'client_secret'
  const isGiven = scopes != null || id != null || secret != null
  if (kind !== 'oauth' && isGiven) throw fieldRefusal('client_not_expected', given)
  if (secret != null && id == null) throw fieldRefusal('client_id_required', 'client_id')
}

/** Returns the server in the settings, with the token or the tokens of an OAuth grant. */
export function serverOf(
  settings: ToolServerSettings,
  token: string | undefined,
  tokens: McpTokens | undefined = undefined,
): McpServer {
  const { base_url: url, auth_kind: kind, auth_header: name } = settings
  if (kind === 'oauth' && tokens) return { url, auth: { kind: 'oauth', tokens } }
  if (kind === 'none' || token === undefined) return { url, auth: { kind: 'none' } }
  if (kind === 'header_token' && name) return { url, auth: { kind: 'header', name, token } }
  return { url, auth: { kind: 'bearer', token } }
}

/** Returns the tools that the settings name, and those of their profile that the user allows. */
export function neededTools(settings: ToolServerSettings, findProfile: FindProfile): string[] {
  const { allowed_tools: allowed, ingest_tool_calls: calls = [] } = settings
  const active = profileIn(settings, findProfile)
  const read = active ? toolsOf(active.profile).filter((tool) => allowed?.includes(tool) ?? true) : []
  return [...new Set([...(allowed ?? []), ...calls.map(({ tool }) => tool), ...read])]
}

/** Returns true if a pull calls tools. */
export function hasCalls({ ingest_tool_calls: calls, server_profile: profile }: ToolServerSettings): boolean {
  return calls !== undefined || profile !== undefined
}

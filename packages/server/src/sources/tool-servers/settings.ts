import type { AuthKind, IngestToolCall, UpdateUserMcp } from '@cairnstore/contract'
import { refusedField } from '../../base/fault.ts'
import { PullFailure } from '../../base/pull-failure.ts'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import type { JsonObject } from '../../db/json-object.ts'
import type { McpServer } from '../connectors/connector.ts'

/** What a source that is a server of tools keeps in its adapter_config. */
export type ToolServerSettings = {
  base_url: string
  auth_kind: AuthKind
  auth_header?: string
  app_namespace: string
  /** Exact names; without the list every tool may be called. */
  allowed_tools?: string[]
  ingest_tool_calls?: IngestToolCall[]
  rate_cap_per_minute: number
  webhook_rate_cap_per_minute: number
}

const CAP_DEFAULT = 60
const WEBHOOK_CAP_DEFAULT = 600
/** Headers by which a request is carried and told apart: whoever sets them changes more than who asks. */
const TAKEN_HEADERS = [
  /^(host|connection|cookie|upgrade|te|trailer|keep-alive|expect|forwarded|via|transfer-encoding|last-event-id)$/i,
  /^(accept($|-)|content-|mcp-|proxy-|x-forwarded-)/i,
]

/** What a source is registered with, or what is left after a change: null and what is omitted keep what there is. */
export function settingsAfter(
  change: UpdateUserMcp,
  before: Partial<ToolServerSettings>,
  sourceId: string,
): ToolServerSettings {
  const kept = <K extends keyof ToolServerSettings & keyof UpdateUserMcp>(name: K) =>
    (change[name] ?? before[name]) as ToolServerSettings[K] | undefined
  const authKind = kept('auth_kind') ?? 'none'
  const authHeader = kept('auth_header')
  const allowed = kept('allowed_tools')
  const calls = kept('ingest_tool_calls')
  return {
    base_url: kept('base_url') ?? '',
    auth_kind: authKind,
    ...(authKind === 'header_token' && authHeader && { auth_header: authHeader }),
    app_namespace: kept('app_namespace') ?? sourceId,
    ...(allowed && { allowed_tools: [...new Set(allowed)] }),
    ...(calls && calls.length > 0 && { ingest_tool_calls: calls }),
    rate_cap_per_minute: kept('rate_cap_per_minute') ?? CAP_DEFAULT,
    webhook_rate_cap_per_minute: kept('webhook_rate_cap_per_minute') ?? WEBHOOK_CAP_DEFAULT,
  }
}

/** The settings that a source's row holds. */
export function settingsIn(config: JsonObject): ToolServerSettings {
  return config as ToolServerSettings
}

/**
 * Throws a refusal for settings that do not go together, and for an address that is not called: one inside a network,
 * also by what its name stands for now. A name that has no address is for the check of the server to say.
 */
export async function assertSound(
  settings: ToolServerSettings,
  hasToken: boolean,
  givesToken: boolean,
  network: Pick<SafeFetch, 'assertCallable'>,
): Promise<void> {
  const { auth_kind: kind, auth_header: header, allowed_tools: allowed, ingest_tool_calls: calls = [] } = settings
  if (kind === 'none' && givesToken) throw refusedField('token_not_expected', 'token')
  if (kind === 'header_token' && header === undefined) throw refusedField('auth_header_required', 'auth_header')
  if (header !== undefined && TAKEN_HEADERS.some((taken) => taken.test(header)))
    throw refusedField('invalid_auth_header', 'auth_header')
  if (kind !== 'none' && !hasToken) throw refusedField('token_required', 'token')
  if (allowed && !calls.every(({ tool }) => allowed.includes(tool)))
    throw refusedField('tool_not_allowed', 'ingest_tool_calls')
  if (!URL.canParse(settings.base_url)) throw refusedField('invalid_base_url', 'base_url')
  const url = new URL(settings.base_url)
  if (url.hash !== '' || settings.base_url.includes('#')) throw refusedField('base_url_not_allowed', 'base_url')
  try {
    await network.assertCallable(url)
  } catch (cause) {
    if (cause instanceof PullFailure) throw refusedField('base_url_not_allowed', 'base_url')
    throw cause
  }
}

/** The server that the settings name, opened with the token. */
export function serverOf(settings: ToolServerSettings, token: string | undefined): McpServer {
  const { base_url: url, auth_kind: kind, auth_header: name } = settings
  if (kind === 'none' || token === undefined) return { url, auth: { kind: 'none' } }
  if (kind === 'header_token' && name) return { url, auth: { kind: 'header', name, token } }
  return { url, auth: { kind: 'bearer', token } }
}

/** The tools without which the server is of no use as it is set up. */
export function neededTools({ allowed_tools: allowed = [], ingest_tool_calls: calls = [] }: ToolServerSettings) {
  return [...new Set([...allowed, ...calls.map(({ tool }) => tool)])]
}

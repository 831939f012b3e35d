import type { IngestionMode, RegisterSource, UpdateSource } from '@cairnstore/contract'
import { Fault, invalid } from '../../base/fault.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { connectorFor, PULLABLE, providerKey, USER_MCP } from '../connectors/connector-for.ts'

/** Words for a credential, also inside a key such as `botToken` or `client_secret`. */
const SECRET_WORDS = new Set([
  ...['token', 'secret', 'password', 'passwd', 'passphrase', 'credential', 'credentials', 'apikey'],
])
/** Words that name a credential if `key` follows them. */
const KEY_WORDS = new Set(['api', 'access', 'private', 'signing', 'auth', 'encryption'])

/** Throws `secret_in_config` if a key of the settings, at any depth, is named like a credential. */
export function assertNoSecret(config: unknown): void {
  if (!holdsSecret(config)) return
  const msg = 'Credentials do not belong here; send them as provider_credential or provider_signing_secret.'
  throw new Fault('secret_in_config', {
    problems: [{ loc: ['body', 'adapter_config'], msg, type: 'secret_in_config' }],
  })
}

/** Returns true if a key of the settings, at any depth, is named like a credential. */
function holdsSecret(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  if (Array.isArray(value)) return value.some(holdsSecret)
  return Object.entries(value).some(([key, inner]) => namesSecret(key) || holdsSecret(inner))
}

function namesSecret(key: string): boolean {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words.some((word, at) => SECRET_WORDS.has(word) || (KEY_WORDS.has(word) && words[at + 1] === 'key'))
}

/** Provider whose sources are registered as trackers, by operations that also store its API key. */
export const TRACKER = 'linear'

/** Throws `use_secret_endpoint` for an MCP server, and for a tracker whose key is in the settings. */
export function assertOwnEndpoint({ provider, adapter_config: config }: RegisterSource): void {
  const key = providerKey(provider)
  if (key === USER_MCP) throw useSecretEndpoint('provider')
  if (key === TRACKER && holdsSecret(config)) throw useSecretEndpoint('adapter_config')
}

/** Throws `use_secret_endpoint` for settings and credentials of an MCP server, which its own endpoint validates. */
export function assertOwnChange(provider: string, change: UpdateSource): void {
  if (providerKey(provider) !== USER_MCP) return
  const field = (['adapter_config', 'provider_credential'] as const).find((name) => change[name] != null)
  if (field) throw useSecretEndpoint(field)
}

function useSecretEndpoint(field: string): Fault {
  const msg = 'This is set by the provider’s own registration, and changed by PATCH …/user-mcp.'
  return new Fault('use_secret_endpoint', { problems: [{ loc: ['body', field], msg, type: 'use_secret_endpoint' }] })
}

/** Throws `not_pollable` for polling of a provider that has no pull connector. */
export function assertPollable(provider: string, mode: IngestionMode | null | undefined): void {
  if (mode !== 'polling' || connectorFor(provider).pull) return
  const msg = `Sources of this provider push data and cannot be polled. Pollable providers: ${PULLABLE.join(', ')}.`
  const problems = [{ loc: ['body', 'ingestion_mode'], msg, type: 'not_pollable' }]
  throw new Fault('not_pollable', { detail: msg, problems })
}

/** Throws `validation_error` for settings that the provider's connector rejects. */
export function assertConfigFits(provider: string, config: JsonObject | undefined): void {
  const problem = connectorFor(provider).configProblem?.(config ?? {})
  if (problem) throw invalid(['body', 'adapter_config'], problem, 'wrong_form')
}

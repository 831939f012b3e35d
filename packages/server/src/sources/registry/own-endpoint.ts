import type { RegisterSource, UpdateSource } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { providerKey, USER_MCP } from '../connectors/connector-for.ts'
import { holdsSecret } from './secret-in-config.ts'

/** The provider of trackers, whose registration of its own keeps the key. */
export const TRACKER = 'linear'

/**
 * Throws `use_secret_endpoint` for a server of tools, which is registered by an endpoint of its own, and for a tracker
 * whose key stands in the settings.
 */
export function assertOwnEndpoint({ provider, adapter_config: config }: RegisterSource): void {
  const key = providerKey(provider)
  if (key === USER_MCP) throw useSecretEndpoint('provider')
  if (key === TRACKER && holdsSecret(config)) throw useSecretEndpoint('adapter_config')
}

/** Throws `use_secret_endpoint` for a change of what a server of tools is: that is checked elsewhere. */
export function assertOwnChange(provider: string, change: UpdateSource): void {
  if (providerKey(provider) !== USER_MCP) return
  const field = (['adapter_config', 'provider_credential'] as const).find((name) => change[name] != null)
  if (field) throw useSecretEndpoint(field)
}

function useSecretEndpoint(field: string): Fault {
  const msg = 'This is set by the provider’s own registration, and changed by PATCH …/user-mcp.'
  return new Fault('use_secret_endpoint', { problems: [{ loc: ['body', field], msg, type: 'use_secret_endpoint' }] })
}

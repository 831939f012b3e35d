import { literal } from './literal.ts'

/** The role of transactions for one tenant. It owns no tables and sees only that tenant's rows. */
export const APP_ROLE = 'cairn_app'

/** The role of lookups before a tenant is known. It reads the rows that policies allow, and takes leases. */
export const GATE_ROLE = 'cairn_gate'

/** The role that stores webhook deliveries. It finds their sources, since the tenant is not known before. */
export const DOOR_ROLE = 'cairn_door'

/** The rows that a transaction may access. */
export type Scope =
  /** Read and write: the rows of an account. */
  | { tenant: string }
  /** Read and write: the rows of an account (none if empty), and the operator's idempotent responses. */
  | { tenant: string; operator: true }
  /** Read: the sandboxes that an account owns or has grants on. */
  | { caller: string }
  /** Read: the API key with this SHA-256, and its account. */
  | { keyHash: Uint8Array }
  /** Read: the session whose token has this SHA-256, its account and its member. */
  | { sessionHash: Uint8Array }
  /** Read: the invitation whose code has this SHA-256. */
  | { invitation: Uint8Array }
  /** Read: the members and sessions of a person, or of a session, at the identity provider. */
  | { identity: Uint8Array }
  /** Read: the pending consent whose state has this SHA-256. */
  | { oauthState: Uint8Array }
  /** Read: the sources with these delivery slugs, their secrets and sandboxes. */
  | { webhookSlugs: readonly string[] }
  /** Write: deliveries of all tenants, and their records. */
  | { door: true }
  /** Read: heads, inbox and jobs of all tenants. May take leases of heads and delete old idempotent responses. */
  | { worker: true }
  /** Read: all accounts, sandboxes and audit rows. */
  | { operator: true }

/** Returns the statement that begins a transaction in a scope. Without a scope no tenant's rows are visible. */
export function beginStatement(scope: Scope | null, limits: readonly string[]): string {
  const role = roleOf(scope)
  const begin = ['begin', `set local role ${role}`, ...limits.map((limit) => `set local ${limit}`)].join('; ')
  if (scope === null) return begin
  const settings = settingsOf(scope).map(([name, value]) => `set_config('app.${name}', ${literal(value)}, true)`)
  return `${begin}; select ${settings.join(', ')}`
}

function roleOf(scope: Scope | null): string {
  if (scope === null) return GATE_ROLE
  if ('tenant' in scope) return APP_ROLE
  return 'door' in scope || 'webhookSlugs' in scope ? DOOR_ROLE : GATE_ROLE
}

type Setting = [name: string, value: string]

function settingsOf(scope: Scope): Setting[] {
  const isForBoth = 'tenant' in scope && 'operator' in scope
  return isForBoth ? [settingOf(scope), ['operator', 'on']] : [settingOf(scope)]
}

function settingOf(scope: Scope): Setting {
  if ('tenant' in scope) return ['tenant', scope.tenant]
  if ('caller' in scope) return ['caller', scope.caller]
  if ('keyHash' in scope) return ['key_hash', inHex(scope.keyHash)]
  if ('sessionHash' in scope) return ['session_hash', inHex(scope.sessionHash)]
  if ('invitation' in scope) return ['invitation', inHex(scope.invitation)]
  if ('identity' in scope) return ['identity', inHex(scope.identity)]
  if ('oauthState' in scope) return ['oauth_state', inHex(scope.oauthState)]
  if ('webhookSlugs' in scope) return ['webhook_slugs', scope.webhookSlugs.join(',')]
  if ('door' in scope) return ['door', 'on']
  return 'worker' in scope ? ['worker', 'on'] : ['operator', 'on']
}

function inHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

import { literal } from './literal.ts'

/** The role of a transaction that works for one tenant. It owns nothing and sees that tenant's rows alone. */
export const APP_ROLE = 'cairn_app'

/** The role of a look-up that is made before a tenant is known. It reads what a policy shows, and takes leases. */
export const GATE_ROLE = 'cairn_gate'

/** The role of deliveries, which come before a tenant is known: it finds their sources and stores them. */
export const DOOR_ROLE = 'cairn_door'

/** What a transaction may see. */
export type Scope =
  /** The rows of an account, to read and write. */
  | { tenant: string }
  /** The rows of an account, none when it is empty, and the replies kept for the operator, to read and write. */
  | { tenant: string; operator: true }
  /** To read: the sandboxes that an account owns or that are granted to it. */
  | { caller: string }
  /** To read: the API key with this sha256, and its account. */
  | { keyHash: Uint8Array }
  /** To read: the session whose token has this sha256, its account and its member. */
  | { sessionHash: Uint8Array }
  /** To read: the invitation whose code has this sha256. */
  | { invitation: Uint8Array }
  /** To read: the members and sessions of a person, or of a session, at the identity provider. */
  | { identity: Uint8Array }
  /** To read: the consent under way with the state that has this sha256. */
  | { oauthState: Uint8Array }
  /** To read: the sources whose addresses for deliveries have these slugs, their secrets and sandboxes. */
  | { webhookSlugs: readonly string[] }
  /** To write: deliveries of all tenants, and the records in them. */
  | { door: true }
  /** To read: heads, inbox and jobs of all tenants, to find work; a head's lease can be taken, old replies removed. */
  | { worker: true }
  /** To read: all accounts, sandboxes and audit rows. */
  | { operator: true }

/**
 * The statement that begins a transaction in a scope, in one round trip; without a scope it sees no row of any tenant.
 */
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

/** The role of a transaction that works for one tenant. It owns nothing and sees that tenant's rows alone. */
export const APP_ROLE = 'cairn_app'

/** The role of a look-up that is made before a tenant is known. It reads what a policy shows, and takes leases. */
export const GATE_ROLE = 'cairn_gate'

/** What a transaction may see. */
export type Scope =
  /** The rows of an account, to read and write. */
  | { tenant: string }
  /** To read: the sandboxes that an account owns or that are granted to it. */
  | { caller: string }
  /** To read: the API key with this sha256, and its account. */
  | { keyHash: Uint8Array }
  /** To read: the source whose address for deliveries has this slug. */
  | { webhookSlug: string }
  /** To read: heads, inbox and jobs of all tenants, to find work; a head's lease can be taken, old replies removed. */
  | { worker: true }
  /** To read: all accounts, sandboxes and audit rows. */
  | { operator: true }

/**
 * The statement that begins a transaction in a scope, in one round trip; without a scope it sees no row of any tenant.
 * Texts go in as hexadecimal digits, so no value can be read as SQL.
 */
export function beginStatement(scope: Scope | null, limits: readonly string[]): string {
  const role = scope !== null && 'tenant' in scope ? APP_ROLE : GATE_ROLE
  const begin = ['begin', `set local role ${role}`, ...limits.map((limit) => `set local ${limit}`)].join('; ')
  if (scope === null) return begin
  const [name, value] = settingOf(scope)
  const digits = Buffer.from(value).toString('hex')
  return `${begin}; select set_config('app.${name}', convert_from(decode('${digits}', 'hex'), 'UTF8'), true)`
}

function settingOf(scope: Scope): [name: string, value: string] {
  if ('tenant' in scope) return ['tenant', scope.tenant]
  if ('caller' in scope) return ['caller', scope.caller]
  if ('keyHash' in scope) return ['key_hash', Buffer.from(scope.keyHash).toString('hex')]
  if ('webhookSlug' in scope) return ['webhook_slug', scope.webhookSlug]
  return 'worker' in scope ? ['worker', 'on'] : ['operator', 'on']
}

import { Fault } from '../../base/fault.ts'

/** Words that name a credential, alone or as part of a key such as `botToken` or `client_secret`. */
const SECRET_WORDS = new Set([
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'credential',
  'credentials',
  'apikey',
])
/** Words that name a credential when `key` follows them. */
const KEY_WORDS = new Set(['api', 'access', 'private', 'signing', 'auth', 'encryption'])

/** Throws `secret_in_config` when a key of the settings, at any depth, looks like that of a credential. */
export function assertNoSecret(config: unknown): void {
  if (!holdsSecret(config)) return
  const msg = 'Credentials do not belong here; send them as provider_credential or provider_signing_secret.'
  throw new Fault('secret_in_config', {
    problems: [{ loc: ['body', 'adapter_config'], msg, type: 'secret_in_config' }],
  })
}

/** Whether a key of the settings, at any depth, looks like that of a credential. */
export function holdsSecret(value: unknown): boolean {
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

import { existsSync, readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'
import { isSecureUrl } from './secure-url.ts'

/** A Vault or OpenBao server, and the location of secrets in it. */
export interface VaultConfig {
  /** URL without a trailing slash. */
  address: string
  mount: string
  prefix: string
  namespace: string | null
}

const PLACE = /^[\w-]+(?:\/[\w-]+)*$/

/** Reads the settings of the vault; null if CAIRN_VAULT_ADDR is not set. Throws ConfigError for invalid ones. */
export function readVault(env: Env): VaultConfig | null {
  if (!env.CAIRN_VAULT_ADDR) return null
  const url = URL.canParse(env.CAIRN_VAULT_ADDR) ? new URL(env.CAIRN_VAULT_ADDR) : undefined
  if (url?.username !== '' || !isSecureUrl(url)) {
    throw new ConfigError('CAIRN_VAULT_ADDR must be an https address, or http on this machine.')
  }
  return {
    address: env.CAIRN_VAULT_ADDR.replace(/\/+$/, ''),
    mount: toVaultPath('CAIRN_VAULT_MOUNT', env.CAIRN_VAULT_MOUNT ?? 'secret'),
    prefix: toVaultPath('CAIRN_VAULT_PREFIX', env.CAIRN_VAULT_PREFIX ?? 'cairn'),
    namespace: env.CAIRN_VAULT_NAMESPACE ?? null,
  }
}

function toVaultPath(name: string, value: string): string {
  if (!PLACE.test(value)) throw new ConfigError(`${name} must be letters, digits, - and _, with / between them.`)
  return value
}

/** Matches a token of visible ASCII characters, as headers allow. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/

/** Returns the vault's token; null if there is no vault. Throws ConfigError if the token is missing. */
export function readVaultToken(env: Env): string | null {
  if (!env.CAIRN_VAULT_ADDR) return null
  const { CAIRN_VAULT_TOKEN: given, CAIRN_VAULT_TOKEN_FILE: file } = env
  if (file && !existsSync(file)) throw new ConfigError('CAIRN_VAULT_TOKEN_FILE is not a readable file.')
  const token = given ?? (file ? readFileSync(file, 'utf8').trim() : '')
  if (TOKEN.test(token)) return token
  throw new ConfigError('With CAIRN_VAULT_ADDR set CAIRN_VAULT_TOKEN or CAIRN_VAULT_TOKEN_FILE.')
}

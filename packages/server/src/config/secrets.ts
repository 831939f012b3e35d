import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'
import { type JwtConfig, readJwt } from './jwt.ts'
import { type OAuthIssuer, readOAuthIssuers } from './oauth.ts'
import { type OidcConfig, readOidc } from './oidc.ts'
import { readVaultToken } from './vault.ts'

/** Secrets, which must never be printed or logged. */
export interface Secrets {
  /** Signs the cursors of lists, so that they cannot be forged. */
  cursorKey: Buffer
  /** Signs the sign-in codes of the console. */
  signInKey: Buffer
  /** Signs index snapshots. They are stored where others may be able to write. */
  snapshotKey: Buffer
  /** Signs requests that processes forward to each other. */
  nodeKey: Buffer
  /** Keys that encrypt the data keys of accounts. */
  wrappingKeys: WrappingKeys
  /** API key of the first account; null to generate one. */
  bootstrapApiKey: string | null
  /** The operator's key; null to disable the operator's operations. */
  adminKey: string | null
  /** Key that can only read the metrics; null if there is none. */
  metricsKey: string | null
  jwt: JwtConfig | null
  /** API keys of the models. Null for a model that needs none. */
  modelKeys: Record<'writer' | 'reranker' | 'embedder' | 'vision' | 'transcriber', string | null>
  /** Authorization servers configured by the operator, with client secrets. */
  oauthIssuers: readonly OAuthIssuer[]
  /** The identity provider for sign-in, with the client secret; null if there is none. */
  oidc: OidcConfig | null
  /** Token of the vault; null if there is no vault. */
  vaultToken: string | null
}

/** The wrapping key that is derived from the current master key, and earlier ones for decryption. */
export interface WrappingKeys {
  current: WrappingKey
  previous: WrappingKey[]
}

/** A key that encrypts other keys. The fingerprint identifies it without revealing it. */
export interface WrappingKey {
  key: Buffer
  fingerprint: Buffer
}

const KEY_BYTES = 32
const OWNER_ONLY = 0o600

/**
 * Reads the secrets of this installation. With the embedded engines, a missing master key is created in the data
 * folder, readable only by its owner. It is not created if there is data that was encrypted with another key. With
 * PostgreSQL the master key must be configured, because several processes share it.
 */
export function readSecrets(env: Env, config: Config): Secrets {
  const masterKey = readMasterKey(env, config)
  return {
    cursorKey: derive(masterKey, 'cursor'),
    signInKey: derive(masterKey, 'console-sign-in'),
    snapshotKey: derive(masterKey, 'graph-images'),
    nodeKey: derive(masterKey, 'nodes'),
    wrappingKeys: {
      current: toWrappingKey(masterKey),
      previous: (env.CAIRN_MASTER_KEY_PREVIOUS ?? '')
        .split(',')
        .filter((text) => text.trim() !== '')
        .map((text) => toWrappingKey(toKey('Each key of CAIRN_MASTER_KEY_PREVIOUS', text))),
    },
    bootstrapApiKey: env.CAIRN_BOOTSTRAP_API_KEY ?? null,
    adminKey: readAdminKey(env, config),
    metricsKey: env.CAIRN_METRICS_KEY ? toBearer('CAIRN_METRICS_KEY', env.CAIRN_METRICS_KEY) : null,
    jwt: readJwt(env, (path) => readFileSync(path, 'utf8')),
    modelKeys: {
      writer: env.CAIRN_MODEL_API_KEY ?? null,
      reranker: env.CAIRN_RERANK_API_KEY ?? null,
      embedder: env.CAIRN_EMBED_API_KEY ?? null,
      vision: env.CAIRN_VISION_API_KEY ?? null,
      transcriber: env.CAIRN_TRANSCRIBE_API_KEY ?? null,
    },
    oidc: readOidc(env),
    oauthIssuers: readOAuthIssuers(env, (path) => readFileSync(path, 'utf8')),
    vaultToken: readVaultToken(env),
  }
}

/** Matches a key of visible ASCII characters, as headers allow, that is long enough not to be guessed. */
const OWN_KEY = /^[\x21-\x7e]{16,512}$/
/** Matches prefixes of keys that the API issues. */
const OTHER_KEYS = /^cairn(share|hook)?_/

function readAdminKey(env: Env, config: Config): string | null {
  const path = join(config.folder, 'admin.key')
  const isGenerated = !env.CAIRN_ADMIN_KEY && config.databaseUrl === null
  if (isGenerated) createKeyFile(path, () => `cairnadmin_${randomBytes(KEY_BYTES).toString('base64url')}`)
  const key = isGenerated ? readFileSync(path, 'utf8').trim() : (env.CAIRN_ADMIN_KEY ?? null)
  return key === null ? null : toBearer(isGenerated ? path : 'CAIRN_ADMIN_KEY', key)
}

function toBearer(name: string, key: string): string {
  if (OWN_KEY.test(key) && !OTHER_KEYS.test(key)) return key
  throw new ConfigError(
    `${name} must be 16 to 512 visible ASCII characters and not an API key. "openssl rand -hex 32" generates one.`,
  )
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, 'cairn', purpose, KEY_BYTES))
}

function toWrappingKey(masterKey: Buffer): WrappingKey {
  return { key: derive(masterKey, 'data-keys'), fingerprint: derive(masterKey, 'fingerprint') }
}

function readMasterKey(env: Env, config: Config): Buffer {
  if (env.CAIRN_MASTER_KEY) return toKey('CAIRN_MASTER_KEY', env.CAIRN_MASTER_KEY)
  if (env.CAIRN_MASTER_KEY_FILE) {
    if (!existsSync(env.CAIRN_MASTER_KEY_FILE)) throw new ConfigError('CAIRN_MASTER_KEY_FILE is not a readable file.')
    return toKey('CAIRN_MASTER_KEY_FILE', readFileSync(env.CAIRN_MASTER_KEY_FILE, 'utf8'))
  }
  if (config.databaseUrl) {
    throw new ConfigError('With DATABASE_URL set CAIRN_MASTER_KEY or CAIRN_MASTER_KEY_FILE: 32 bytes in base64.')
  }
  const path = join(config.folder, 'master.key')
  if (!existsSync(path) && existsSync(join(config.folder, 'sql'))) {
    throw new ConfigError(`${path} is missing. The data there is encrypted with it. Restore the file.`)
  }
  createKeyFile(path, () => randomBytes(KEY_BYTES).toString('base64'))
  return toKey(path, readFileSync(path, 'utf8'))
}

/** Creates the file, readable only by its owner, unless it already exists. */
function createKeyFile(path: string, make: () => string): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(path, `${make()}\n`, { mode: OWNER_ONLY, flag: 'wx' })
  } catch (error) {
    // On a full disk, an empty file remains. The next start would use it as the key.
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') rmSync(path, { force: true })
    throw error
  }
}

function toKey(name: string, text: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw new ConfigError(`${name} must hold ${KEY_BYTES} bytes in base64, such as "openssl rand -base64 32" prints.`)
  }
  return key
}

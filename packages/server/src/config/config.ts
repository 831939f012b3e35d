import { readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ExtractionOptions } from '@cairnstore/engine/resolve'
import { MS_PER_SECOND } from '../base/clock.ts'
import { LOG_LEVELS, type LogLevel } from '../base/log.ts'
import { ROLES, type Role } from '../base/role.ts'
import { ConfigError } from './config-error.ts'
import type { Env } from './env.ts'
import { DEFAULT_LIMITS, readLimits, type TierLimits, UNLIMITED } from './limits.ts'
import { graphBytesFor } from './memory.ts'
import { type ModelsConfig, readModels } from './models.ts'
import { toOrigins } from './origins.ts'
import { type TrustedProxies, toTrustedProxies } from './proxies.ts'
import { toSwitch } from './switch.ts'
import { readTelemetry, type TelemetryConfig } from './telemetry.ts'
import { readUploads, type UploadConfig } from './uploads.ts'
import { readVault, type VaultConfig } from './vault.ts'
import { parseWholeNumber, readWithinBounds } from './whole-numbers.ts'

/** The complete, typed configuration, without secrets. */
export interface Config {
  host: string
  port: number
  /** Folder of the embedded database and storage, of generated keys and of local caches. */
  folder: string
  publicUrl: string | null
  trustProxy: TrustedProxies
  /** Allowed CORS origins. */
  origins: readonly string[]
  /** Maximum number of open connections. Null if it is derived from the limit on file descriptors. */
  connectionsMax: number | null
  loadExample: boolean
  /** Kinds of entities and relations that are extracted from plain text. */
  textExtraction: ExtractionOptions
  /** Log level. Null if it depends on whether the log is written to a terminal. */
  logLevel: LogLevel | null
  /** True if /metrics can be read without a key. */
  hasOpenMetrics: boolean
  limits: TierLimits
  ephemeralIdleHours: number
  /** Number of days for which a finished job is stored. */
  jobRetentionDays: number
  /** Number of days for which an answer is stored; 0 to store none. */
  answerDays: number
  /** Maximum size in bytes of a file whose original is stored; 0 to store none. */
  originalBytesMax: number
  /** Maximum number of language model tokens per account and day; null for no limit. */
  modelDailyTokens: number | null
  /** Number of whole months for which the audit log is kept; null to keep all. */
  auditRetentionMonths: number | null
  /** Maximum age, in days, of a backup that can be restored. */
  restorableDays: number
  /** Bytes that must stay free on the folder's disk; 0 if no growing data is stored there. */
  reservedBytes: number
  /** Maximum memory for graphs in bytes. */
  graphBytes: number
  /** Maximum memory in bytes for the record cache, and for LanceDB's caches. */
  recordCacheBytes: number
  storeCacheBytes: number
  /** Local disk cache of object stores; null if disabled. */
  cache: { folder: string; bytesMax: number; reservedBytes: number } | null
  /** Number of threads that rank records in large graphs. */
  rankThreads: number
  /** Folder for uploads that need random access, with the number of bytes to keep free on its disk. */
  spool: { folder: string; reservedBytes: number }
  uploads: UploadConfig
  /** True if sources on this machine are allowed. */
  allowLoopback: boolean
  trackerUrl: string
  /** True to publish a Client ID Metadata Document, which OAuth servers read. */
  hasOAuthDocument: boolean
  models: ModelsConfig
  /** Vault for secrets; null if they are stored encrypted in the database. */
  vault: VaultConfig | null
  /** URL of PostgreSQL; null for the embedded PGlite in the data folder. */
  databaseUrl: string | null
  databaseConnections: number
  /** Maximum number of sandboxes in the service's own storage to which records are applied concurrently. */
  commitsAtOnce: number
  /** Seconds after which a sandbox's lease expires if it is not renewed. */
  leaseSeconds: number
  /** Compaction starts after this number of commits, or after this many milliseconds without a commit. */
  compaction: { commits: number; restMs: number }
  /** Milliseconds for which a process that is stopping still answers. Null if it depends on the database. */
  drainMs: number | null
  /** URL of the database that bypasses the connection pooler in `databaseUrl`. */
  directUrl: string | null
  /** URL at which other processes reach this one. Null if it cannot be a home node. */
  nodeUrl: string | null
  role: Role
  storage: StorageConfig
  /** OpenTelemetry export; null if disabled. */
  telemetry: TelemetryConfig | null
}

/** The data plane's root URI and its object store options. */
interface StorageConfig {
  /** A local folder, or `s3://bucket/prefix`. */
  root: string
  options: Record<string, string>
  /** Settings of the process's AWS role, which provides the credentials. Null if `options` contains them. */
  role: RoleSettings | null
}

/** AWS settings of the process's role. A setting that the platform does not provide is absent. */
export interface RoleSettings {
  region: string
  roleArn?: string | undefined
  tokenFile?: string | undefined
  sessionName?: string | undefined
  tokenService?: string | undefined
  containerPath?: string | undefined
  containerUrl?: string | undefined
  containerToken?: string | undefined
  containerTokenFile?: string | undefined
}

const DEFAULT_PORT = '8484'
const PORT_MAX = 65_535
const IDLE_HOURS = '24'
const RESTORABLE_DAYS = '35'
const JOB_RETENTION_DAYS = '90'
const ANSWER_DAYS = '30'
const ORIGINAL_MIB = '64'
/** Limits on the retention of the audit log. The database function never drops the last three months. */
const AUDIT_RETENTION_MONTHS = { least: 3, most: 1_200 } as const
/** Default reserve in MiB. Between two checkpoints, the log of the embedded database can grow to half of it. */
const RESERVED_MIB = '256'
/** Default cache size in MiB. It is twice the size of a million short records. */
const CACHE_MIB = '1024'
const BYTES_PER_MIB = 2 ** 20
/** URL of Linear's hosted MCP server. */
const TRACKER_URL = 'https://mcp.linear.app/mcp'

/** Default number of ranking threads. One core is left to the thread that serves requests. */
const RANK_THREADS = String(Math.max(1, availableParallelism() - 1))

function readStored({ CAIRN_ANSWER_DAYS: days = ANSWER_DAYS, CAIRN_ORIGINAL_MIB: mib = ORIGINAL_MIB }: Env) {
  return {
    answerDays: parseWholeNumber('CAIRN_ANSWER_DAYS', days, 0, 4),
    originalBytesMax: parseWholeNumber('CAIRN_ORIGINAL_MIB', mib, 0, 2) * BYTES_PER_MIB,
  }
}

/** Parses the environment. Throws ConfigError for an invalid value, or for values that contradict each other. */
export function toConfig(env: Env): Config {
  const folder = resolve(env.CAIRN_DATA ?? 'data')
  const isStateless = Boolean(env.DATABASE_URL && env.STORAGE_URL)
  const reserveMib = parseWholeNumber('CAIRN_DISK_RESERVE_MIB', env.CAIRN_DISK_RESERVE_MIB ?? RESERVED_MIB, 0, 9)
  const reserve = reserveMib * BYTES_PER_MIB
  return {
    host: env.CAIRN_HOST ?? '127.0.0.1',
    port: toPort(env.CAIRN_PORT),
    folder,
    publicUrl: env.CAIRN_PUBLIC_URL ? toUrl('CAIRN_PUBLIC_URL', env.CAIRN_PUBLIC_URL, ['http:', 'https:']) : null,
    trustProxy: toTrustedProxies(env.CAIRN_TRUST_PROXY),
    origins: toOrigins(env.CAIRN_CORS_ORIGINS),
    connectionsMax: parseOptional('CAIRN_CONNECTIONS_MAX', env.CAIRN_CONNECTIONS_MAX, 1, 7),
    loadExample: env.CAIRN_EXAMPLE !== 'off',
    textExtraction: {
      names: toSwitch('CAIRN_MENTIONS', env.CAIRN_MENTIONS ?? 'on'),
      facts: toSwitch('CAIRN_FACTS', env.CAIRN_FACTS ?? 'on'),
    },
    logLevel: env.CAIRN_LOG_LEVEL ? toLogLevel(env.CAIRN_LOG_LEVEL) : null,
    hasOpenMetrics: toSwitch('CAIRN_METRICS_OPEN', env.CAIRN_METRICS_OPEN),
    ephemeralIdleHours: parseWholeNumber(
      'CAIRN_EPHEMERAL_IDLE_HOURS',
      env.CAIRN_EPHEMERAL_IDLE_HOURS ?? IDLE_HOURS,
      1,
      6,
    ),
    jobRetentionDays: parseWholeNumber(
      'CAIRN_JOB_RETENTION_DAYS',
      env.CAIRN_JOB_RETENTION_DAYS ?? JOB_RETENTION_DAYS,
      2,
      4,
    ),
    ...readStored(env),
    modelDailyTokens: parseOptional('CAIRN_MODEL_DAILY_TOKENS', env.CAIRN_MODEL_DAILY_TOKENS, 1, 12),
    auditRetentionMonths: env.CAIRN_AUDIT_RETENTION_MONTHS
      ? readWithinBounds(env, 'CAIRN_AUDIT_RETENTION_MONTHS', AUDIT_RETENTION_MONTHS)
      : null,
    restorableDays: parseWholeNumber('CAIRN_RESTORABLE_DAYS', env.CAIRN_RESTORABLE_DAYS ?? RESTORABLE_DAYS, 1, 4),
    reservedBytes: isStateless ? 0 : reserve,
    spool: { folder: isStateless ? join(tmpdir(), 'cairn-spool') : join(folder, 'spool'), reservedBytes: reserve },
    uploads: readUploads(env),
    recordCacheBytes:
      parseWholeNumber('CAIRN_RECORD_CACHE_MIB', env.CAIRN_RECORD_CACHE_MIB ?? '192', 0, 9) * BYTES_PER_MIB,
    storeCacheBytes: parseWholeNumber('CAIRN_STORE_CACHE_MIB', env.CAIRN_STORE_CACHE_MIB ?? '96', 0, 9) * BYTES_PER_MIB,
    cache: toCache(env, folder, reserve),
    allowLoopback: toSwitch('CAIRN_ALLOW_LOOPBACK', env.CAIRN_ALLOW_LOOPBACK),
    trackerUrl: toUrl('CAIRN_LINEAR_MCP_URL', env.CAIRN_LINEAR_MCP_URL ?? TRACKER_URL, ['https:', 'http:']),
    hasOAuthDocument: toSwitch('CAIRN_OAUTH_CIMD', env.CAIRN_OAUTH_CIMD ?? 'on'),
    models: readModels(env),
    vault: readVault(env),
    graphBytes: graphBytesFor(
      env.CAIRN_GRAPH_MIB ? parseWholeNumber('CAIRN_GRAPH_MIB', env.CAIRN_GRAPH_MIB, 1, 9) * BYTES_PER_MIB : null,
    ),
    rankThreads: parseWholeNumber('CAIRN_RANK_THREADS', env.CAIRN_RANK_THREADS ?? RANK_THREADS, 0, 2),
    limits: readLimits(env.CAIRN_LIMITS, env.DATABASE_URL ? DEFAULT_LIMITS : UNLIMITED, (path) =>
      readFileSync(path, 'utf8'),
    ),
    databaseUrl: env.DATABASE_URL ? toUrl('DATABASE_URL', env.DATABASE_URL, ['postgres:', 'postgresql:']) : null,
    databaseConnections: parseWholeNumber('CAIRN_DATABASE_CONNECTIONS', env.CAIRN_DATABASE_CONNECTIONS ?? '20', 2, 3),
    commitsAtOnce: parseWholeNumber('CAIRN_COMMITS_AT_ONCE', env.CAIRN_COMMITS_AT_ONCE ?? '8', 1, 2),
    leaseSeconds: readWithinBounds(env, 'CAIRN_LEASE_SECONDS', LEASE_SECONDS),
    compaction: readCompaction(env),
    drainMs: env.CAIRN_DRAIN_SECONDS
      ? parseWholeNumber('CAIRN_DRAIN_SECONDS', env.CAIRN_DRAIN_SECONDS, 0, 3) * MS_PER_SECOND
      : null,
    directUrl: env.DATABASE_DIRECT_URL
      ? toUrl('DATABASE_DIRECT_URL', env.DATABASE_DIRECT_URL, ['postgres:', 'postgresql:'])
      : null,
    nodeUrl: toNodeUrl(env),
    role: toRole(env),
    storage: toStorage(env, folder),
    telemetry: readTelemetry(env),
  }
}

/**
 * Limits and default of the lease duration in seconds. A lease is renewed three times in this time, with a heartbeat
 * each second. A shorter lease could expire in a healthy process; a longer one would delay the takeover of sandboxes.
 */
const LEASE_SECONDS = { least: 5, most: 300, unset: 15 } as const
/** Bounds and default for commits before a compaction. Each commit adds fragments that searches must open. */
const COMPACTION_COMMITS = { least: 10, most: 1_000, unset: 100 } as const
const COMPACTION_IDLE_SECONDS = { least: 1, most: 3_600, unset: 5 } as const

/** Minimum cache size in MiB. In a smaller cache, a single graph segment would evict the others. */
const CACHE_MIB_MIN = 64

function toCache(env: Env, folder: string, reservedBytes: number): Config['cache'] {
  const mib = parseWholeNumber('CAIRN_CACHE_MIB', env.CAIRN_CACHE_MIB ?? CACHE_MIB, 0, 9)
  if (mib === 0) return null
  if (mib < CACHE_MIB_MIN) throw new ConfigError(`CAIRN_CACHE_MIB must be 0 or at least ${CACHE_MIB_MIN}.`)
  return { folder: join(folder, 'cache'), bytesMax: mib * BYTES_PER_MIB, reservedBytes }
}

function toLogLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value)
  if (!level) throw new ConfigError(`CAIRN_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`)
  return level
}

function toPort(value = DEFAULT_PORT): number {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > PORT_MAX)
    throw new ConfigError(`CAIRN_PORT must be a number from 0 to ${PORT_MAX}.`)
  return port
}

function toUrl(name: string, value: string, protocols: string[]): string {
  const expected = protocols.map((protocol) => `${protocol}//`).join(' or ')
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new ConfigError(`${name} must be a URL that starts with ${expected}.`)
  }
  return value.replace(/\/+$/, '')
}

function toNodeUrl({ CAIRN_NODE_URL: url, DATABASE_URL: database }: Env): string | null {
  if (!url) return null
  if (!database) throw new ConfigError('CAIRN_NODE_URL is for processes that share a DATABASE_URL.')
  const { origin } = new URL(toUrl('CAIRN_NODE_URL', url, ['http:', 'https:']))
  if (origin !== url.replace(/\/$/, '')) throw new ConfigError('CAIRN_NODE_URL is an address without a path.')
  return origin
}

function toRole(env: Env): Role {
  const role = ROLES.find((known) => known === (env.CAIRN_ROLE ?? 'all'))
  if (!role) throw new ConfigError(`CAIRN_ROLE must be one of ${ROLES.join(', ')}.`)
  if (role !== 'all' && !env.DATABASE_URL) {
    throw new ConfigError(
      'CAIRN_ROLE is for processes that share a DATABASE_URL. A process with an embedded database has all roles.',
    )
  }
  if (role === 'worker' && !env.CAIRN_NODE_URL) {
    throw new ConfigError(
      'CAIRN_ROLE=worker needs CAIRN_NODE_URL, so that other processes can send it changes of sandboxes.',
    )
  }
  return role
}

function toStorage(env: Env, folder: string): StorageConfig {
  if (!env.STORAGE_URL) return { root: join(folder, 'knowledge'), options: {}, role: null }
  const root = toUrl('STORAGE_URL', env.STORAGE_URL, ['s3:'])
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, S3_KMS_KEY_ID: kmsKey } = env
  if (Boolean(accessKeyId) !== Boolean(secretAccessKey)) {
    throw new ConfigError(
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together. Without both, the AWS role of the process ' +
        'is used.',
    )
  }
  const region = env.AWS_REGION ?? 'us-east-1'
  const keys = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  return {
    root,
    options: {
      region,
      ...keys,
      ...(keys && env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN }),
      ...(env.S3_ENDPOINT && { endpoint: env.S3_ENDPOINT, allowHttp: String(env.S3_ENDPOINT.startsWith('http:')) }),
      ...(kmsKey && { aws_server_side_encryption: 'aws:kms', aws_sse_kms_key_id: kmsKey }),
    },
    role: keys ? null : toRoleSettings(env, region),
  }
}

function toRoleSettings(env: Env, region: string): RoleSettings {
  return {
    region,
    roleArn: env.AWS_ROLE_ARN,
    tokenFile: env.AWS_WEB_IDENTITY_TOKEN_FILE,
    sessionName: env.AWS_ROLE_SESSION_NAME,
    tokenService: env.AWS_ENDPOINT_URL_STS,
    containerPath: env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI,
    containerUrl: env.AWS_CONTAINER_CREDENTIALS_FULL_URI,
    containerToken: env.AWS_CONTAINER_AUTHORIZATION_TOKEN,
    containerTokenFile: env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
  }
}

function readCompaction(env: Env): Config['compaction'] {
  return {
    commits: readWithinBounds(env, 'CAIRN_COMPACTION_COMMITS', COMPACTION_COMMITS),
    restMs: readWithinBounds(env, 'CAIRN_COMPACTION_IDLE_SECONDS', COMPACTION_IDLE_SECONDS) * MS_PER_SECOND,
  }
}

/** Parses a whole number. Returns null if the setting is unset. */
function parseOptional(name: keyof Env, value: string | undefined, least: number, digitsMax: number): number | null {
  return value === undefined ? null : parseWholeNumber(name, value, least, digitsMax)
}

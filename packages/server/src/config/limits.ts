import { type AccountLimits, type Limits, TIERS, type Tier } from '@cairnstore/contract'
import { parseJson } from '../base/parse-json.ts'
import { ConfigError } from './config-error.ts'

/** Limits by tier: for a sandbox, and for all sandboxes of an account in this tier. Null means no limit. */
export type TierLimits = Record<Tier, Limits & AccountLimits>

const GIB = 2 ** 30
/** Number of reads per query. A page with an answer also shows its entities, their records, and links. */
const READS_PER_QUERY = 5
/** Ratio of an account's limit per minute to the limit of one sandbox. Few sandboxes are busy at the same time. */
const ACCOUNT_TIMES = 5

/**
 * Maximum number of records of a sandbox. A graph has at most 2^24 document ordinals for records and passages of long
 * ones, and a larger sandbox could not be queried.
 */
const RECORDS_MAX = 16_000_000

/** Default limits of a hosted service. */
export const DEFAULT_LIMITS: TierLimits = {
  free: tierLimits(50, 10, 20, GIB, 100_000, 6_000, 120),
  pro: tierLimits(1_000, 100, 500, 100 * GIB, 10_000_000, 60_000, 1_200),
  enterprise: tierLimits(100_000, 10_000, 100_000, 10_240 * GIB, RECORDS_MAX, 600_000, 12_000),
}

function tierLimits(
  sandboxes: number,
  sources: number,
  projects: number,
  bytes: number,
  records: number,
  ingest: number,
  queries: number,
) {
  return {
    max_sandboxes: sandboxes,
    max_data_sources: sources,
    max_projects: projects,
    max_storage_bytes: bytes,
    max_records: records,
    ingest_records_per_minute: ingest,
    queries_per_minute: queries,
    reads_per_minute: queries * READS_PER_QUERY,
    account_ingest_records_per_minute: ingest * ACCOUNT_TIMES,
    account_queries_per_minute: queries * ACCOUNT_TIMES,
    account_reads_per_minute: queries * READS_PER_QUERY * ACCOUNT_TIMES,
  }
}

const NONE: Limits & AccountLimits = {
  max_sandboxes: null,
  max_data_sources: null,
  max_projects: null,
  max_storage_bytes: null,
  max_records: null,
  ingest_records_per_minute: null,
  queries_per_minute: null,
  reads_per_minute: null,
  account_ingest_records_per_minute: null,
  account_queries_per_minute: null,
  account_reads_per_minute: null,
}

/** Limits of a self-hosted service: none. */
export const UNLIMITED: TierLimits = { free: NONE, pro: NONE, enterprise: NONE }

/** Pairs of limits per minute: the limit of a sandbox, and the limit of all sandboxes of the account. */
const SHARED = [
  ['ingest_records_per_minute', 'account_ingest_records_per_minute'],
  ['queries_per_minute', 'account_queries_per_minute'],
  ['reads_per_minute', 'account_reads_per_minute'],
] as const

/**
 * Returns the limits in `before`, changed by those in `setting` (JSON, or the path of a JSON file). If only a sandbox's
 * limit per minute is set, the account's limit is derived from it. Throws ConfigError for invalid values.
 */
export function readLimits(
  setting: string | undefined,
  before: TierLimits,
  readFile: (path: string) => string,
): TierLimits {
  if (!setting) return before
  const parsed = parseLimits(setting.startsWith('{') ? setting : readSetting(setting, readFile))
  const limits = { free: { ...before.free }, pro: { ...before.pro }, enterprise: { ...before.enterprise } }
  for (const [tier, values] of Object.entries(parsed)) {
    if (!isTier(tier)) throw new ConfigError(`CAIRN_LIMITS: "${tier}" is not a tier; use ${TIERS.join(', ')}.`)
    for (const [name, value] of Object.entries(values as object)) {
      if (!(name in limits[tier])) throw new ConfigError(`CAIRN_LIMITS: ${tier} has no limit named "${name}".`)
      if (value !== null && !(Number.isInteger(value) && value >= 0)) {
        throw new ConfigError(`CAIRN_LIMITS: ${tier}.${name} must be a whole number from 0, or null for unlimited.`)
      }
      limits[tier][name as keyof Limits] = value
    }
    for (const [own, ofAccount] of SHARED) {
      if (own in (values as object) && !(ofAccount in (values as object))) {
        const limit = limits[tier][own]
        limits[tier][ofAccount] = limit === null ? null : limit * ACCOUNT_TIMES
      }
    }
  }
  return limits
}

function isTier(value: string): value is Tier {
  return (TIERS as readonly string[]).includes(value)
}

function readSetting(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path)
  } catch {
    throw new ConfigError('CAIRN_LIMITS names a file that cannot be read; give JSON or the path of a readable file.')
  }
}

function parseLimits(json: string): Record<string, unknown> {
  const value = parseJson(json)
  if (value && typeof value === 'object' && Object.values(value).every((tier) => tier && typeof tier === 'object')) {
    return value as Record<string, unknown>
  }
  throw new ConfigError('CAIRN_LIMITS must be a JSON object of tiers, such as {"free":{"max_records":null}}.')
}

import { AwsClient } from 'aws4fetch'
import { MS_PER_SECOND, systemClock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import { OWNER_ROLE, readMigrations } from '../db/migrate.ts'
import { type Finding, failed, passed } from '../operations/examine.ts'

/** Runs SQL on the database and returns the rows. For several statements, returns those of the last but one. */
export type Query = <T>(statement: string) => Promise<T[]>

const ANSWER_MS = 3_000
const SKEW_SECONDS_MAX = 5
/** Maximum share of the database server's connections that may be in use. */
const CONNECTIONS_SHARE_MAX = 0.8
const OPEN_SECONDS_MAX = 60
const STORE_MS_MAX = 500
const STORE_TRIES = 3

/** Returns a positive or a negative finding. The advice is added only to a negative one. */
export const checked = (about: string, isGood: boolean, sentence: string, next: string): Finding =>
  isGood ? passed(about, `${sentence}.`) : failed(about, `${sentence}: ${next}`)

/** Returns a finding that compares the applied migrations with those of this program. */
export async function migrationFindings(query: Query): Promise<Finding[]> {
  const known = readMigrations()
  const rows = await query<{ number: number; checksum: string; expands: boolean }>(
    `begin read only; set local role ${OWNER_ROLE};
    select number, checksum, expands from migration order by number; commit`,
  )
  const ran = new Map(rows.map((row) => [row.number, row]))
  const missing = known.filter(({ number }) => !ran.has(number))
  const changed = known.filter(({ number, checksum }) => ran.has(number) && ran.get(number)?.checksum !== checksum)
  const newer = rows.filter(({ number, expands }) => number > known.length && !expands)
  const count = `${ran.size} migrations have run`
  if (changed.length > 0) {
    return [failed('migrations', `${changed[0]!.name} was changed after it ran: restore the file as it was.`)]
  }
  if (newer.length > 0)
    return [failed('migrations', `${count}, this program knows ${known.length}: run the newer one.`)]
  if (missing.length > 0) {
    return [failed('migrations', `${count}, and ${missing[0]!.name} has not: start a process of this version.`)]
  }
  return [passed('migrations', `${count}, all that this version needs.`)]
}

/** Returns findings about the number of connections in use and the longest open transaction. */
export async function connectionFindings(query: Query): Promise<Finding[]> {
  const [row] = await query<{ used: number; most: number; open_seconds: number; pid: number | null }>(
    `select count(*)::int as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
      coalesce(max(extract(epoch from now() - xact_start)), 0)::float8 as open_seconds,
      (array_agg(pid order by xact_start) filter (where xact_start is not null))[1] as pid
    from pg_stat_activity where backend_type = 'client backend'`,
  )
  const { used, most, open_seconds: seconds, pid } = row!
  return [
    checked(
      'database',
      used <= most * CONNECTIONS_SHARE_MAX,
      `${used} of ${most} connections to PostgreSQL are in use`,
      'lower CAIRN_DATABASE_CONNECTIONS, raise max_connections, or use a connection pooler.',
    ),
    checked(
      'database',
      seconds <= OPEN_SECONDS_MAX,
      `The longest transaction is open for ${seconds.toFixed(0)} s`,
      `it belongs to process ${pid} (pg_stat_activity); end it, because it blocks vacuum and migrations.`,
    ),
  ]
}

/** Returns a finding about the difference between this machine's clock and the database's. */
export async function skewFinding(query: Query): Promise<Finding> {
  const fromMs = systemClock.now().getTime()
  const [row] = await query<{ at: Date }>('select clock_timestamp() as at')
  const middleMs = (fromMs + systemClock.now().getTime()) / 2
  const seconds = (row!.at.getTime() - middleMs) / MS_PER_SECOND
  const shown = `This machine's clock is ${Math.abs(seconds).toFixed(1)} s from the database's`
  return checked('clock', Math.abs(seconds) <= SKEW_SECONDS_MAX, shown, 'synchronize it (NTP).')
}

/** Fetches a text. Returns undefined if the complete response does not arrive in time. */
export async function fetchText(url: string | URL, headers: RequestInit['headers'] = {}) {
  try {
    const reply = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
    return { ok: reply.ok, status: reply.status, text: await reply.text() }
  } catch {
    return undefined
  }
}

/** Returns a finding about the duration of a bucket listing from this machine. */
export async function storeFindings({ storage: { root, options } }: Config): Promise<Finding[]> {
  if (!root.startsWith('s3:')) return [passed('store', `Records are stored in ${root}, on this machine only.`)]
  const { region = 'us-east-1', accessKeyId, secretAccessKey, sessionToken, endpoint } = options
  if (!accessKeyId || !secretAccessKey) return [passed('store', 'Not checked: only the nodes have its keys.')]
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
  const client = new AwsClient({ ...keys, region, service: 's3' })
  const address = new URL(`${endpoint ?? `https://s3.${region}.amazonaws.com`}/${new URL(root).hostname}`)
  address.search = 'list-type=2&max-keys=1'
  const times: number[] = []
  for (let tries = 0; tries < STORE_TRIES; tries += 1) {
    const fromMs = performance.now()
    const { url, headers } = await client.sign(address)
    const reply = await fetchText(url, headers)
    if (!reply?.ok) {
      const outcome = reply ? `answers ${reply.status}` : 'does not answer'
      return [failed('store', `The bucket ${outcome}: check STORAGE_URL, S3_ENDPOINT, the keys and the store.`)]
    }
    times.push(performance.now() - fromMs)
  }
  const ms = Math.min(...times)
  const shown = `The bucket answers a listing in ${ms.toFixed(0)} ms`
  return [checked('store', ms <= STORE_MS_MAX, shown, 'each commit takes about seven requests; check the store.')]
}

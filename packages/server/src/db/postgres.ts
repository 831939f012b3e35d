import { Pool } from 'pg'
import { CONTENT_TABLES, columnTypes, type Engine } from './engine.ts'
import { listenOn } from './listen.ts'

/** Default number of connections per process. */
const CONNECTIONS_MAX = 20
/** Milliseconds that a transaction may wait for a connection before it fails with 503. */
const CONNECT_MS_MAX = 2_000
const IDLE_MS_MAX = 30_000

/** Limits per transaction, against long statements, lock waits and idle transactions. */
const LIMITS = [
  "statement_timeout = '5s'",
  "lock_timeout = '2s'",
  "idle_in_transaction_session_timeout = '10s'",
] as const

/** Connection options in addition to the URL. */
export interface PostgresOptions {
  /** URL that bypasses the pooler, for notifications. */
  directUrl?: string | null
  connectionsMax?: number
}

/** Opens a connection pool to a PostgreSQL server. */
export function openPostgres(
  url: string,
  { directUrl, connectionsMax = CONNECTIONS_MAX }: PostgresOptions = {},
): Engine {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    idleTimeoutMillis: IDLE_MS_MAX,
    types: columnTypes,
  })
  // An error event without a listener would end the process. The pool replaces idle connections that break. In a
  // transaction, the next query on a broken connection fails.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  let closing: Promise<void> | undefined
  return {
    kind: 'postgres',
    pool,
    limits: LIMITS,
    durable: async () => undefined,
    scrub: () => vacuum(pool),
    listen: (channel, onPayload) => listenOn(directUrl ?? url, channel, onPayload),
    connections: () => ({
      max: connectionsMax,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => {
      closing ??= pool.end()
      return closing
    },
  }
}

/**
 * Vacuums the content tables, except those that another process is vacuuming. Membership in the owner's role suffices.
 * A `set role` would persist on the connection, which a pooler shares between processes.
 */
async function vacuum(pool: Pool): Promise<void> {
  await pool.query(`vacuum (skip_locked) ${CONTENT_TABLES.join(', ')}`)
}

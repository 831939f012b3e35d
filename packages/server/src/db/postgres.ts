import { Pool } from 'pg'
import { CONTENT_TABLES, columnTypes, type Engine } from './engine.ts'
import { listenOn } from './listen.ts'

/** Connections of one process, where nobody says. */
const CONNECTIONS_MAX = 20
/** How long a transaction may wait for a connection before the caller hears 503. */
const CONNECT_MS_MAX = 2_000
const IDLE_MS_MAX = 30_000

/** A longer statement holds up others, a longer wait for a lock means trouble, an idle transaction is a bug. */
const LIMITS = [
  "statement_timeout = '5s'",
  "lock_timeout = '2s'",
  "idle_in_transaction_session_timeout = '10s'",
] as const

/** How a server is reached, beside its URL. */
export interface PostgresOptions {
  /** Leads past a pooler that the URL leads through. */
  directUrl?: string | null
  connectionsMax?: number
}

/** Opens a pool of connections to a PostgreSQL server. */
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
  // A connection that breaks while nobody uses it is replaced by the pool. One that breaks between two queries of a
  // transaction fails the next of them; that it also says so by itself must not end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  let closing: Promise<void> | undefined
  return {
    kind: 'postgres',
    pool,
    limits: LIMITS,
    durable: async () => undefined,
    scrub: () => vacuum(pool),
    listen: (channel, hear) => listenOn(directUrl ?? url, channel, hear),
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
 * A table that another process vacuums at the moment is left to it. The connection's user may do it as a member of the
 * role that owns the tables: a role that is set would stay with the connection, which a pooler gives to others.
 */
async function vacuum(pool: Pool): Promise<void> {
  await pool.query(`vacuum (skip_locked) ${CONTENT_TABLES.join(', ')}`)
}

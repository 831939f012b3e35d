// Starts server processes on one PostgreSQL and one S3-compatible store that know each other's addresses.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { freePort } from '../tests/harness/free-port.mjs'
import { startCairn } from './cairn-process.mjs'
import { makeBucket, startProxy } from './object-store.mjs'
import { SUPERUSER, startPostgres } from './postgres-server.mjs'
import { newApiKey } from './product.mjs'

const USER = 'service'

/** @typedef {Awaited<ReturnType<typeof startCairn>>} Node */

/**
 * Starts a database, a proxy for the store, and the requested number of processes.
 * @param {{ count: number, delayMs: number, main?: string, env?: Record<string, string>, hasPlaces?: boolean }} options
 */
export async function startNodes({ count, delayMs, main, env = {}, hasPlaces = true }) {
  const [server, proxy, bucket] = await Promise.all([startPostgres(), startProxy(delayMs), makeBucket()])
  const database = await connect(server, 'postgres')
  await database.query(`create role ${USER} login nosuperuser createrole`)
  await database.query(`create database cairn owner ${USER}`)
  const apiKey = newApiKey()
  const shared = {
    CAIRN_LOG_LEVEL: 'error',
    CAIRN_MASTER_KEY: randomBytes(32).toString('base64'),
    DATABASE_URL: server.url(USER, 'cairn'),
    STORAGE_URL: `s3://${bucket}/k`,
    S3_ENDPOINT: proxy.url,
    ...env,
  }
  /** @param {string} [folder] of a process before */
  const start = async (folder) => {
    const port = String(await freePort())
    const own = { CAIRN_PORT: port, ...(hasPlaces && { CAIRN_NODE_URL: `http://127.0.0.1:${port}` }) }
    return startCairn({ ...(main && { main }), ...(folder && { folder }), apiKey, env: { ...shared, ...own } })
  }
  /** @type {Node[]} */
  const nodes = []
  // Start sequentially: the first creates the tables and the account, which would otherwise be a race.
  for (let at = 0; at < count; at += 1) nodes.push(await start())
  return {
    nodes,
    proxy,
    start,
    /** Returns the number of committed transactions. */
    async transactions() {
      await database.query('select pg_stat_clear_snapshot()')
      const { rows } = await database.query(
        `select xact_commit::int as count from pg_stat_database where datname = 'cairn'`,
      )
      return Number(rows[0].count)
    },
    /** Returns the number of processes that hold a sandbox lease. */
    async leaseOwners() {
      const service = await connect(server, 'cairn')
      const { rows } = await service.query(
        'select count(distinct lease_owner)::int as count from sandbox_head where lease_until > now()',
      )
      await service.end()
      return Number(rows[0].count)
    },
    async stop() {
      for (const node of nodes) await node.stop()
      await database.end()
      proxy.close()
      await server.stop()
    },
  }
}

/** @param {import('./postgres-server.mjs').PostgresServer} server @param {string} name */
async function connect(server, name) {
  const client = new pg.Client({ connectionString: server.url(SUPERUSER, name) })
  await client.connect()
  return client
}

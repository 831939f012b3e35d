// Baseline for a delivery: bare Fastify with the service's database settings, one insert and one synced commit per
// request.
// Usage: node bench/bare-insert.mjs [POSTGRESQL_URL]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { loadDatabase } from './product.mjs'

const { openEngine } = await loadDatabase()
const folder = mkdtempSync(join(tmpdir(), 'cairn-floor-'))
const [url] = process.argv.slice(2)
const engine = await openEngine(url ? { url } : { folder })
const client = await engine.pool.connect()
await client.query('drop table if exists floor', [])
await client.query('create table floor (id bigint generated always as identity primary key, payload text)', [])
client.release()

const server = fastify()
server.post('/', async (request, reply) => {
  const connection = await engine.pool.connect()
  try {
    await connection.query('insert into floor (payload) values ($1)', [JSON.stringify(request.body)])
  } finally {
    connection.release()
  }
  await engine.durable()
  return reply.code(204).send()
})
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))
process.on('SIGTERM', async () => {
  await server.close()
  const last = await engine.pool.connect()
  await last.query('drop table floor', [])
  last.release()
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
})

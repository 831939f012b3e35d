// The floor of a delivery: bare Fastify, the embedded database as the service opens it, one insert and one synced
// commit for each request.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { openEngine } from '../packages/server/dist/db/open.js'

const folder = mkdtempSync(join(tmpdir(), 'cairn-floor-'))
const engine = await openEngine({ folder })
const client = await engine.pool.connect()
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
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
})

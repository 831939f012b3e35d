// Baseline for an operation of the storage API: a bare Fastify route that runs the operation's own statements in the
// same transaction with the same role on the same engine, and returns the same JSON. It has no authentication, no
// access scope check before a change, no validation, no rate limits and no concurrency limits. api.mjs starts it with
// the database's folder or URL.
import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import { loadDatabase } from './product.mjs'

const { openSql, appendAuditCall, AccessScope, activeGrants } = await loadDatabase()
const [place, userId] = process.argv.slice(2)
const sql = await openSql(place.includes('://') ? { url: place } : { folder: place })
const server = fastify()
await sql.transact(userId, (tx) =>
  tx
    .insertInto('account')
    .values({
      user_id: userId,
      display_name: '',
      created_at: new Date(),
      primary_sandbox_id: null,
      default_project_id: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute(),
)

const shown = (row) => ({
  sandbox_id: row.id,
  user_id: row.user_id,
  owner_id: row.owner_id,
  name: row.name,
  tier: row.tier,
  status: row.status,
  storage_provider_type: row.storage_provider_type,
  limits: LIMITS,
  metadata: row.metadata,
  created_at: row.created_at.toISOString(),
  access: 'owner',
  is_external: false,
  encrypted: row.encrypted,
  key_fingerprint: row.key_fingerprint,
})
const LIMITS = {
  max_data_sources: 10,
  max_projects: 20,
  max_storage_bytes: 2 ** 30,
  max_records: 100_000,
  ingest_records_per_minute: 6_000,
  queries_per_minute: 120,
}

const CALLER = { accountId: userId, credential: { kind: 'api_key', id: 'bare' } }

const eventOf = (event, sandboxId) => ({
  user_id: userId,
  chain: sandboxId,
  at: new Date(),
  actor_user_id: userId,
  credential_id: 'bare',
  event,
  subject_id: sandboxId,
  request_id: 'bare',
})

server.post('/sandboxes', async (request, reply) => {
  const id = `sbx_${randomUUID()}`
  const now = new Date()
  const { name, owner_id } = request.body
  const row = await sql.transact(userId, (tx) =>
    tx
      .with('made', (db) =>
        db
          .insertInto('sandbox')
          .values({
            user_id: userId,
            id,
            owner_id,
            name,
            tier: 'free',
            storage_provider_type: 'platform_s3',
            metadata: {},
            key_fingerprint: null,
            created_at: now,
            updated_at: now,
          })
          .returningAll(),
      )
      .with('head', (db) =>
        db.insertInto('sandbox_head').values({ user_id: userId, sandbox_id: id, lease_owner: null, lease_until: null }),
      )
      .selectFrom('made')
      .selectAll()
      .select(appendAuditCall(eventOf('sandbox.created', id)).as('recorded'))
      .executeTakeFirstOrThrow(),
  )
  return reply.code(201).send(shown(row))
})

server.get('/sandboxes/:id', async (request) => {
  const access = await AccessScope.find(sql, CALLER, request.params.id)
  return shown(access.sandbox)
})

server.patch('/sandboxes/:id', async (request) => {
  const [row] = await sql.write(userId, (tx) =>
    tx
      .with('changed', (db) =>
        db
          .updateTable('sandbox')
          .set({ name: request.body.name, updated_at: new Date() })
          .where('user_id', '=', userId)
          .where('id', '=', request.params.id)
          .where('status', '=', 'active')
          .returningAll(),
      )
      .selectFrom('changed')
      .selectAll()
      .select(appendAuditCall(eventOf('sandbox.updated', request.params.id)).as('recorded')),
  )
  return shown(row)
})

server.get('/sandboxes', async (request) => {
  const limit = Number(request.query.limit)
  await sql.look({ caller: userId }, (tx) => activeGrants(tx, CALLER))
  const rows = await sql.look({ caller: userId }, (tx) =>
    tx
      .selectFrom('sandbox')
      .selectAll()
      .where('user_id', '=', userId)
      .where('status', '!=', 'archived')
      .orderBy('id', 'desc')
      .limit(limit + 1),
  )
  return { sandboxes: rows.slice(0, limit).map(shown), count: Math.min(rows.length, limit) }
})

console.log(`listening on ${await server.listen({ host: '127.0.0.1', port: 0 })}`)
process.once('SIGTERM', async () => {
  await server.close()
  await sql.close()
})

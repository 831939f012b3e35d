import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSql } from '../../../packages/server/src/db/open.ts'
import { openPglite } from '../../../packages/server/src/db/pglite.ts'
import { createPglite, PgliteLink } from '../../../packages/server/src/db/pglite-link.ts'
import { newDatabase, type TestDatabase } from '../../harness/postgres.ts'

const START_MS_MAX = 120_000

let database: TestDatabase
let folder: string

beforeAll(async () => {
  database = await newDatabase('pglite')
  folder = (database.target as { folder: string }).folder
})

afterAll(() => database.remove())

async function connect(link: PgliteLink): Promise<Client> {
  const client = new Client({ stream: () => link, user: 'postgres', database: 'postgres' })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

test(
  'a database that dies keeps every commit that was reported, and only whole transactions',
  async () => {
    for (let round = 1; round <= 3; round += 1) {
      const link = new PgliteLink(folder)
      const client = await connect(link)
      await client.query('create table if not exists kept (round int, n int)')
      let reported = 0
      const writing = (async () => {
        for (let n = 1; ; n += 1) {
          await client.query(`begin; insert into kept values (${round}, ${n}), (${round}, -${n})`)
          await client.query('commit')
          await link.durable()
          reported = n
        }
      })().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 20 + 40 * round))
      const atDeath = reported
      link.destroy()
      await writing
      const again = new PgliteLink(folder)
      const reader = await connect(again)
      const { rows } = await reader.query(
        `select count(*) filter (where n > 0)::int as up, count(*) filter (where n < 0)::int as down,
          coalesce(max(n), 0) as last from kept where round = ${round}`,
      )
      await again.shutDown()
      expect(rows[0].up).toBe(rows[0].down)
      expect(rows[0].up).toBe(rows[0].last)
      expect(rows[0].last).toBeGreaterThanOrEqual(atDeath)
    }
  },
  START_MS_MAX,
)

test('concurrent transactions are serialized and are all on disk when they resolve', async () => {
  const sql = await openSql({ folder })
  const userIds = Array.from({ length: 50 }, (_, n) => `acct_turn_${n}`)
  await Promise.all(
    userIds.map((user_id) =>
      sql.transact(user_id, (tx) =>
        tx
          .insertInto('account')
          .values({
            user_id,
            display_name: '',
            created_at: new Date(0),
            primary_sandbox_id: null,
            default_project_id: null,
          })
          .execute(),
      ),
    ),
  )
  const rows = await sql.transact({ operator: true }, (tx) => tx.selectFrom('account').select('user_id').execute())
  expect(rows.map((row) => row.user_id)).toEqual(expect.arrayContaining(userIds))
  await sql.close()
})

test('checkpoints between transactions truncate a large write-ahead log', async () => {
  const engine = await openPglite(folder)
  const query = async (text: string) => {
    const client = await engine.pool.connect()
    const { rows } = await client.query<{ distance: string }>(text, [])
    client.release()
    return rows
  }
  await query('create table filler (text text)')
  for (let n = 0; n < 20; n += 1)
    await query("insert into filler select repeat('x', 1000) from generate_series(1, 9000)")
  const [row] = await query(
    'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::text as distance from pg_control_checkpoint()',
  )
  expect(Number(row?.distance)).toBeLessThan(10 * 16 * 2 ** 20)
  await engine.close()
})

test('a database without its tables can be cleaned up', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'cairn-bare-'))
  const engine = await openPglite(join(empty, 'sql'))
  for (let transaction = 0; transaction < 4; transaction += 1) {
    const client = await engine.pool.connect()
    await client.query('select pg_switch_wal()', [])
    await client.query('create table if not exists filler (text text)', [])
    await client.query("insert into filler values ('more')", [])
    client.release()
  }
  await engine.close()
  rmSync(empty, { recursive: true })
})

test('an interrupted creation of a folder is repeated', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'cairn-half-'))
  const half = join(parent, 'sql')
  await createPglite(half)
  writeFileSync(join(half, 'left-over'), '')
  writeFileSync(`${half}.unfinished`, '')
  await createPglite(half)
  expect(existsSync(join(half, 'left-over'))).toBe(false)
  expect(existsSync(join(half, 'PG_VERSION'))).toBe(true)
  expect(existsSync(`${half}.unfinished`)).toBe(false)
  rmSync(parent, { recursive: true })
})

test('a database whose thread has died is reopened by the next transaction', async () => {
  const sql = await openSql({ folder })
  await expect(
    sql.transact(null, async (tx) => {
      const { sql: text } = await import('kysely')
      await text`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
    }),
  ).rejects.toThrow()
  expect(await sql.transact(null, async () => 'back')).toBe('back')
  await sql.close()
})

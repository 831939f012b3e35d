import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesHolding } from '../../../../tests/harness/disk.ts'
import { newDatabase } from '../../../../tests/harness/postgres.ts'
import { withClient } from './engine.ts'
import { openPglite } from './pglite.ts'
import { openPostgres } from './postgres.ts'

const START_MS_MAX = 120_000
const CANARY = 'zqscrubbedzq'
/** Together some log files of 16 MiB. */
const ROWS = 40
const ROW_BYTES = 1_000_000

test(
  'PGlite’s files hold nothing of deleted rows after a scrub, not even log files kept to be written over',
  async () => {
    const database = await newDatabase('pglite')
    const { folder } = database.target as { folder: string }
    const engine = await openPglite(folder)
    await withClient(engine, async (client) => {
      await client.query("insert into account (user_id, display_name, created_at) values ('a', 'a', now())", [])
      await client.query(
        `insert into sandbox (user_id, id, owner_id, name, tier, storage_provider_type, created_at, updated_at)
          values ('a', 's', 'o', '${CANARY}', 'free', 'platform_s3', now(), now())`,
        [],
      )
    })
    await withClient(engine, (client) =>
      client.query(
        `insert into inbox (user_id, sandbox_id, job_id, kind, payload, record_count, received_at)
          select 'a', 's', 'j', 'records', repeat('${CANARY} ', ${Math.floor(ROW_BYTES / CANARY.length)}), 1, now()
          from generate_series(1, ${ROWS})`,
        [],
      ),
    )
    const log = join(folder, 'pg_wal')
    expect(filesHolding(log, CANARY).length).toBeGreaterThan(2)
    expect(filesHolding(join(folder, 'base'), CANARY)).not.toEqual([])
    await withClient(engine, (client) => client.query("delete from sandbox where user_id = 'a'", []))
    // Makes it keep the log files so far, to write over them.
    await withClient(engine, (client) => client.query('checkpoint', []))
    expect(filesHolding(log, CANARY).length).toBeGreaterThan(2)
    await engine.scrub()
    expect(filesHolding(folder, CANARY)).toEqual([])
    // The database goes on, and again after a restart.
    await withClient(engine, (client) => client.query("update account set display_name = 'b' where user_id = 'a'", []))
    await engine.durable()
    await engine.close()
    const again = await openPglite(folder)
    const found = await withClient(again, (client) => client.query('select display_name from account', []))
    expect(found.rows).toEqual([{ display_name: 'b' }])
    await again.close()
    database.remove()
  },
  START_MS_MAX,
)

test(
  'a scrub of a server leaves no dead row in the tables',
  async () => {
    const { target } = await newDatabase('postgres')
    const engine = openPostgres((target as { url: string }).url)
    const asTenant = (statement: string) =>
      withClient(engine, (client) =>
        client.query(`begin; set local role cairn_app; set local app.tenant = 'a'; ${statement}; commit`, []),
      )
    await asTenant(
      `insert into account (user_id, display_name, created_at) values ('a', 'a', now());
        insert into sandbox (user_id, id, owner_id, name, tier, storage_provider_type, created_at, updated_at)
          values ('a', 's', 'o', 'n', 'free', 'platform_s3', now(), now());
        insert into inbox (user_id, sandbox_id, job_id, kind, payload, record_count, received_at)
          select 'a', 's', 'j', 'records', repeat('${CANARY}', 1000), 1, now() from generate_series(1, 200)`,
    )
    const bytes = async () => {
      const size = 'select pg_table_size($1)::int as bytes'
      const { rows } = await withClient(engine, (client) => client.query<{ bytes: number }>(size, ['inbox']))
      return rows[0]?.bytes ?? 0
    }
    const full = await bytes()
    await asTenant('delete from inbox')
    expect(await bytes()).toBe(full)
    await engine.scrub()
    // What is left are the maps of its free space.
    expect(await bytes()).toBeLessThan(full / 10)
    await engine.close()
  },
  START_MS_MAX,
)

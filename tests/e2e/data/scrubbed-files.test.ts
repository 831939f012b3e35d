import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withClient } from '../../../packages/server/src/db/engine.ts'
import { openPglite } from '../../../packages/server/src/db/pglite.ts'
import { filesContaining } from '../../harness/disk.ts'
import { newDatabase } from '../../harness/postgres.ts'

const CANARY = 'zqscrubbedzq'
/** Number of rows that fill several WAL files of 16 MiB. */
const ROWS = 40
const ROW_BYTES = 1_000_000

test('after a scrub PGlite’s files, including recycled WAL files, contain nothing of deleted rows', async () => {
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
  expect(filesContaining(log, CANARY).length).toBeGreaterThan(2)
  expect(filesContaining(join(folder, 'base'), CANARY)).not.toEqual([])
  await withClient(engine, (client) => client.query("delete from sandbox where user_id = 'a'", []))
  // A checkpoint makes it recycle the existing WAL files.
  await withClient(engine, (client) => client.query('checkpoint', []))
  expect(filesContaining(log, CANARY).length).toBeGreaterThan(2)
  await engine.scrub()
  expect(filesContaining(folder, CANARY)).toEqual([])
  // The database keeps working, also after a restart.
  await withClient(engine, (client) => client.query("update account set display_name = 'b' where user_id = 'a'", []))
  await engine.durable()
  await engine.close()
  const again = await openPglite(folder)
  const found = await withClient(again, (client) => client.query('select display_name from account', []))
  expect(found.rows).toEqual([{ display_name: 'b' }])
  await again.close()
  database.remove()
})

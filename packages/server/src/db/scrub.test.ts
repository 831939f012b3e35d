import { expect, test } from 'vitest'
import { newDatabase } from '../../../../tests/harness/postgres.ts'
import { withClient } from './engine.ts'
import { openPostgres } from './postgres.ts'

const CANARY = 'zqscrubbedzq'

test('a scrub of a server leaves no dead rows in the tables', async () => {
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
  // Only the free space maps are left.
  expect(await bytes()).toBeLessThan(full / 10)
  await engine.close()
})

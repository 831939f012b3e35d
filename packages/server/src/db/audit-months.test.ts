import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDatabase, RUN_ON, type TestDatabase } from '../../../../tests/harness/postgres.ts'
import { hashOf } from './audit.ts'
import { type Engine, withClient } from './engine.ts'
import { openEngine } from './open.ts'
import type { Row } from './tables.ts'

/** Far after the data from before the months began. */
const JANUARY = Date.UTC(2090, 0, 15)
const monthsOn = (months: number) => new Date(Date.UTC(2090, months, 15))

/** Returns the partitions of the log, with their privileges. */
const PARTS = `select c.relname as name, c.relrowsecurity as enabled, c.relacl::text as rights,
    (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relispartition order by 1`

describe.each(RUN_ON)('the audit log by month on %s', (kind) => {
  let database: TestDatabase
  let engine: Engine

  // The months are tables, so no other suite shares the database. The tests depend on their order.
  beforeAll(async () => {
    database = await newDatabase(kind)
    engine = await openEngine(database.target)
  })
  afterAll(async () => {
    await engine.close()
    database.remove()
  })
  const ask = <T>(role: 'app' | 'gate' | 'owner', text: string) =>
    withClient(engine, async (client) => {
      await client.query(`begin; set local role cairn_${role}; set local app.tenant = 'acct_1'`, [])
      const { rows } = await client.query<T>(text, [])
      await client.query('commit', [])
      return rows
    })
  const append = (chain: string, at: Date) => {
    const day = at.toISOString()
    const said = `"acct_1","${chain}"', '"${day}","acct_1",null,"tried",null,null`
    const values = `'acct_1', '${chain}', '${day}', 'acct_1', null, 'tried', null, null, '${said}'`
    return ask('app', `select append_audit(${values})`)
  }
  const keep = (now: Date, kept: number | null) =>
    ask('gate', `select keep_audit_months('${now.toISOString()}', ${kept})`)
  const chainOf = (chain: string) =>
    ask<Row<'audit'>>('app', `select * from audit where chain = '${chain}' order by seq`)
  const partsOf = async () =>
    (await ask<{ name: string }>('owner', 'select name from audit_part order by name')).map(({ name }) => name)

  test('can be read only as a whole, not by its partitions', async () => {
    const parts = await ask<{ name: string; enabled: boolean; rights: string | null; policies: number }>('owner', PARTS)
    expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['audit_before', 'audit_default']))
    for (const part of parts) {
      expect(part).toMatchObject({ enabled: true, policies: 0 })
      expect(part.rights ?? '').not.toMatch(/cairn_(?:app|gate|door)|\{=|,=/)
    }
  })

  test('has a separate partition for events from before partitioning by month', async () => {
    await append('sbx_before', new Date('2026-01-05T00:00:00Z'))
    expect(await ask('owner', 'select seq from audit_before')).toHaveLength(1)
  })

  test('accepts events of a month without a partition, and moves them when it is created', async () => {
    await append('sbx_early', monthsOn(1))
    await append('sbx_early', monthsOn(700))
    const inDefault = () => ask('owner', 'select seq from audit_default order by seq')
    expect(await inDefault()).toHaveLength(2)
    await keep(new Date(JANUARY), null)
    expect(await inDefault()).toHaveLength(1)
    expect(await ask('owner', 'select seq from audit_2090_02')).toHaveLength(1)
    expect(await chainOf('sbx_early')).toHaveLength(2)
  })

  test('is one chain across its months, also if the month of the last event was dropped', async () => {
    await keep(new Date(JANUARY), null)
    expect(await partsOf()).toEqual('audit_2090_01 audit_2090_02 audit_2090_03 audit_before audit_default'.split(' '))
    for (const months of [0, 1, 2]) await append('sbx_1', monthsOn(months))
    await append('sbx_2', monthsOn(0))
    const before = await chainOf('sbx_1')
    const [gone] = await chainOf('sbx_2')
    expect(before.map(({ seq }) => seq)).toEqual([1, 2, 3])

    // Three months are always kept. For May, February is the first of them.
    await keep(monthsOn(4), 1)
    expect(await partsOf()).not.toContain('audit_2090_01')
    expect(await partsOf()).toEqual(expect.arrayContaining(['audit_2090_02', 'audit_2090_07', 'audit_default']))
    expect(await chainOf('sbx_1')).toEqual(before.slice(1))
    expect(await chainOf('sbx_2')).toEqual([])

    for (const chain of ['sbx_1', 'sbx_2']) await append(chain, monthsOn(4))
    const [, , last] = await chainOf('sbx_1')
    expect(last).toMatchObject({ seq: 4, previous_hash: before[2]!.hash })
    const [next] = await chainOf('sbx_2')
    expect(next).toMatchObject({ seq: 2, previous_hash: gone!.hash })
    expect(next!.hash).toEqual(hashOf(next!))
  })

  test('stores all months by default', async () => {
    await append('sbx_kept', monthsOn(4))
    await keep(monthsOn(600), null)
    expect(await chainOf('sbx_kept')).toHaveLength(1)
  })
})

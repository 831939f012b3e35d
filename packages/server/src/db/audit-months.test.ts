import { describe, expect } from 'vitest'
import { onFreshEngine } from '../../../../tests/harness/fresh-engine.ts'
import { ENGINES } from '../../../../tests/harness/postgres.ts'
import { hashOf } from './audit.ts'
import { type Engine, withClient } from './engine.ts'
import type { Row } from './tables.ts'

/** Far after what was there before the months began. */
const JANUARY = Date.UTC(2090, 0, 15)
const monthsOn = (months: number) => new Date(Date.UTC(2090, months, 15))

/** The parts of the log, with what anybody may do with them. */
const PARTS = `select c.relname as name, c.relrowsecurity as enabled, c.relacl::text as rights,
    (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relispartition order by 1`

describe.each(ENGINES)('the audit log by month on %s', (kind) => {
  const onEngine = onFreshEngine(kind)
  const ask = <T>(engine: Engine, role: 'app' | 'gate' | 'owner', text: string) =>
    withClient(engine, async (client) => {
      await client.query(`begin; set local role cairn_${role}; set local app.tenant = 'acct_1'`, [])
      const { rows } = await client.query<T>(text, [])
      await client.query('commit', [])
      return rows
    })
  const append = (engine: Engine, chain: string, at: Date) => {
    const day = at.toISOString()
    const said = `"acct_1","${chain}"', '"${day}","acct_1",null,"tried",null,null`
    const values = `'acct_1', '${chain}', '${day}', 'acct_1', null, 'tried', null, null, '${said}'`
    return ask(engine, 'app', `select append_audit(${values})`)
  }
  const keep = (engine: Engine, now: Date, kept: number | null) =>
    ask(engine, 'gate', `select keep_audit_months('${now.toISOString()}', ${kept})`)
  const chainOf = (engine: Engine, chain: string) =>
    ask<Row<'audit'>>(engine, 'app', `select * from audit where chain = '${chain}' order by seq`)
  const partsOf = async (engine: Engine) =>
    (await ask<{ name: string }>(engine, 'owner', 'select name from audit_part order by name')).map(({ name }) => name)

  onEngine('is one chain over its months, also where the month of the last event is gone', async (engine) => {
    await keep(engine, new Date(JANUARY), null)
    expect(await partsOf(engine)).toEqual(
      'audit_2090_01 audit_2090_02 audit_2090_03 audit_before audit_default'.split(' '),
    )
    for (const months of [0, 1, 2]) await append(engine, 'sbx_1', monthsOn(months))
    await append(engine, 'sbx_2', monthsOn(0))
    const before = await chainOf(engine, 'sbx_1')
    const [gone] = await chainOf(engine, 'sbx_2')
    expect(before.map(({ seq }) => seq)).toEqual([1, 2, 3])

    // Three months are kept whatever is asked: of May, February is the first of them.
    await keep(engine, monthsOn(4), 1)
    expect(await partsOf(engine)).not.toContain('audit_2090_01')
    expect(await partsOf(engine)).toEqual(expect.arrayContaining(['audit_2090_02', 'audit_2090_07', 'audit_default']))
    expect(await chainOf(engine, 'sbx_1')).toEqual(before.slice(1))
    expect(await chainOf(engine, 'sbx_2')).toEqual([])

    for (const chain of ['sbx_1', 'sbx_2']) await append(engine, chain, monthsOn(4))
    const [, , last] = await chainOf(engine, 'sbx_1')
    expect(last).toMatchObject({ seq: 4, previous_hash: before[2]!.hash })
    const [next] = await chainOf(engine, 'sbx_2')
    expect(next).toMatchObject({ seq: 2, previous_hash: gone!.hash })
    expect(next!.hash).toEqual(hashOf(next!))
  })

  onEngine('keeps all of it where nothing says otherwise', async (engine) => {
    await keep(engine, new Date(JANUARY), null)
    await append(engine, 'sbx_1', monthsOn(0))
    await keep(engine, monthsOn(600), null)
    expect(await chainOf(engine, 'sbx_1')).toHaveLength(1)
  })

  onEngine('takes events of a time that has no month yet, and puts them into it when it has', async (engine) => {
    await append(engine, 'sbx_1', monthsOn(1))
    await append(engine, 'sbx_1', monthsOn(700))
    const inDefault = () => ask(engine, 'owner', 'select seq from audit_default order by seq')
    expect(await inDefault()).toHaveLength(2)
    await keep(engine, new Date(JANUARY), null)
    expect(await inDefault()).toHaveLength(1)
    expect(await ask(engine, 'owner', 'select seq from audit_2090_02')).toHaveLength(1)
    expect(await chainOf(engine, 'sbx_1')).toHaveLength(2)
  })

  onEngine('has what came before it had months in a part of its own', async (engine) => {
    await append(engine, 'sbx_1', new Date('2026-01-05T00:00:00Z'))
    expect(await ask(engine, 'owner', 'select seq from audit_before')).toHaveLength(1)
  })

  onEngine('is reached as a whole alone, and not by its parts', async (engine) => {
    const parts = await ask<{ name: string; enabled: boolean; rights: string | null; policies: number }>(
      engine,
      'owner',
      PARTS,
    )
    expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['audit_before', 'audit_default']))
    for (const part of parts) {
      expect(part).toMatchObject({ enabled: true, policies: 0 })
      expect(part.rights ?? '').not.toMatch(/cairn_(?:app|gate|door)|\{=|,=/)
    }
  })
})

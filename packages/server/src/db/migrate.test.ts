import { describe, expect, test } from 'vitest'
import { ENGINES, newDatabase } from '../../../../tests/harness/postgres.ts'
import { type Engine, withClient } from './engine.ts'
import { migrate, readMigrations } from './migrate.ts'
import { openEngine } from './open.ts'

const START_MS_MAX = 120_000

function extra(text: string) {
  const known = readMigrations()
  return [...known, { number: known.length + 1, name: '9999-extra.sql', text, checksum: 'extra' }]
}

function query<T>(engine: Engine, text: string): Promise<T[]> {
  return withClient(engine, async (client) => (await client.query<T>(text, [])).rows)
}

describe.each(ENGINES)('migrations on %s', (kind) => {
  const onEngine = (name: string, body: (engine: Engine) => Promise<void>) =>
    test(name, { timeout: START_MS_MAX }, async () => {
      const database = await newDatabase(kind)
      const engine = await openEngine(database.target)
      try {
        await body(engine)
      } finally {
        await engine.close()
        database.remove()
      }
    })

  onEngine('run once', async (engine) => {
    await migrate(engine)
    await migrate(engine)
    const ran = await query<{ number: number }>(engine, 'select number from migration order by number')
    expect(ran.map(({ number }) => number)).toEqual(readMigrations().map(({ number }) => number))
  })

  onEngine('one that fails leaves nothing of itself, and runs whole the next time', async (engine) => {
    await expect(migrate(engine, extra('create table half (a int); select 1 / 0'))).rejects.toThrow(/division by zero/)
    expect(await query(engine, "select from pg_class where relname = 'half'")).toEqual([])
    await migrate(engine, extra('create table half (a int)'))
    expect(await query(engine, "select from pg_class where relname = 'half'")).toHaveLength(1)
  })

  onEngine('one that was changed after it ran is refused by name', async (engine) => {
    const changed = readMigrations().map((each) => (each.number === 2 ? { ...each, checksum: 'other' } : each))
    await expect(migrate(engine, changed)).rejects.toThrow(/0002-.* was changed after it ran/)
  })

  onEngine('a database of a newer program is refused', async (engine) => {
    await migrate(engine, extra('select 1'))
    await expect(migrate(engine)).rejects.toThrow(/newer Cairn/)
  })

  onEngine('processes that start together migrate once', async (engine) => {
    await Promise.all(Array.from({ length: 4 }, () => migrate(engine, extra('create table once (a int)'))))
    const ran = await query<{ number: number }>(engine, 'select number from migration')
    expect(ran.filter(({ number }) => number > readMigrations().length)).toHaveLength(1)
  })

  onEngine('a role that could look past the rules is refused', async (engine) => {
    if (engine.kind === 'postgres') return
    await query(engine, 'alter role cairn_app bypassrls')
    await expect(migrate(engine)).rejects.toThrow(/cairn_app must be neither superuser nor able to bypass/)
  })
})

test('a user who may not make roles is told what to run', { timeout: START_MS_MAX }, async () => {
  const database = await newDatabase('postgres')
  const service = await openEngine(database.target)
  await query(service, 'create role powerless login')
  const url = new URL((database.target as { url: string }).url)
  url.username = 'powerless'
  const engine = await openEngine({ url: url.href })
  await expect(migrate(engine)).rejects.toThrow(/as a user who may, run: .*grant cairn_owner/)
  await engine.close()
  await service.close()
})

test('a migration whose number is missing is noticed', () => {
  const numbers = readMigrations().map(({ number }) => number)
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
})

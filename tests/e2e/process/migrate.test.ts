import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrate, readMigrations } from '../../../packages/server/src/db/migrate.ts'
import { openEngine } from '../../../packages/server/src/db/open.ts'
import { startScript } from '../../harness/child.ts'
import { askEngine, onFreshEngine, START_MS_MAX } from '../../harness/fresh-engine.ts'
import { ENGINES, newDatabase } from '../../harness/postgres.ts'

function extra(text: string, expands = false) {
  const known = readMigrations()
  return [...known, { number: known.length + 1, name: '9999-extra.sql', text, checksum: 'extra', expands }]
}

describe.each(ENGINES)('migrations on %s', (kind) => {
  const onEngine = onFreshEngine(kind)

  onEngine('run once', async (engine) => {
    await migrate(engine)
    await migrate(engine)
    const ran = await askEngine<{ number: number }>(engine, 'select number from migration order by number')
    expect(ran.map(({ number }) => number)).toEqual(readMigrations().map(({ number }) => number))
  })

  onEngine('one that fails leaves nothing of itself, and runs whole the next time', async (engine) => {
    await expect(migrate(engine, extra('create table half (a int); select 1 / 0'))).rejects.toThrow(/division by zero/)
    expect(await askEngine(engine, "select from pg_class where relname = 'half'")).toEqual([])
    await migrate(engine, extra('create table half (a int)'))
    expect(await askEngine(engine, "select from pg_class where relname = 'half'")).toHaveLength(1)
  })

  onEngine('one that was changed after it ran is refused by name', async (engine) => {
    const changed = readMigrations().map((each) => (each.number === 2 ? { ...each, checksum: 'other' } : each))
    await expect(migrate(engine, changed)).rejects.toThrow(/0002-.* was changed after it ran/)
  })

  onEngine('a database of a newer program is refused', async (engine) => {
    await migrate(engine, extra('select 1'))
    await expect(migrate(engine)).rejects.toThrow(/newer Cairn/)
  })

  onEngine(
    'an expanding migration lets older programs start again, and the next contracting one does not',
    async (engine) => {
      const [added] = extra('create table added (a int)', true).slice(-1)
      const changed = {
        ...added!,
        number: added!.number + 1,
        text: 'drop table added',
        checksum: 'later',
        expands: false,
      }
      await migrate(engine, [...readMigrations(), added!])
      await migrate(engine)
      await migrate(engine, [...readMigrations(), added!, changed])
      await expect(migrate(engine)).rejects.toThrow(/newer Cairn/)
    },
  )

  onEngine('a migration that cannot get its lock at once lets others go first, and retries', async (engine) => {
    if (engine.kind !== 'postgres') return
    await migrate(engine)
    const holder = await engine.pool.connect()
    await holder.query('begin; set local role cairn_owner; lock table account', [])
    const waiting = migrate(engine, extra('alter table account add column extra int'))
    const lone = await engine.pool.connect()
    // A transaction that starts after the migration waits only for the lock holder, not also for the migration.
    await expect
      .poll(
        async () =>
          (await lone.query("select from pg_locks where not granted and mode = 'AccessExclusiveLock'", [])).rows.length,
      )
      .toBe(1)
    await holder.query('rollback', [])
    holder.release()
    lone.release()
    await waiting
    expect(await askEngine(engine, "select from pg_attribute where attname = 'extra'")).toHaveLength(1)
  })

  onEngine('processes that start together migrate once', async (engine) => {
    await Promise.all(Array.from({ length: 4 }, () => migrate(engine, extra('create table once (a int)'))))
    const ran = await askEngine<{ number: number }>(engine, 'select number from migration')
    expect(ran.filter(({ number }) => number > readMigrations().length)).toHaveLength(1)
  })

  onEngine('a role that could look past the rules is refused', async (engine) => {
    if (engine.kind === 'postgres') return
    await askEngine(engine, 'alter role cairn_app bypassrls')
    await expect(migrate(engine)).rejects.toThrow(/cairn_app must be neither superuser nor able to bypass/)
  })
})

test.each(ENGINES)(
  'a migration killed midway on %s leaves nothing, and the next run applies it',
  {
    timeout: START_MS_MAX,
  },
  async (kind) => {
    const database = await newDatabase(kind)
    const built = (name: string) =>
      JSON.stringify(new URL(`../../../packages/server/dist/db/${name}.js`, import.meta.url).href)
    const halves = ['create table first_half (a int)', 'create table second_half (a int); select pg_sleep(600)']
    const script = `
    import { openEngine } from ${built('open')}
    import { migrate, readMigrations } from ${built('migrate')}
    const engine = await openEngine(${JSON.stringify(database.target)})
    const connect = engine.pool.connect
    engine.pool.connect = async () => {
      const client = await connect.call(engine.pool)
      const query = client.query
      client.query = (text, values) => {
        const asked = query.call(client, text, values)
        if (text.includes('pg_sleep')) setTimeout(() => console.log('midway'), 300)
        return asked
      }
      return client
    }
    const known = readMigrations()
    const more = ${JSON.stringify(halves)}.map((text, at) => (
      { number: known.length + at + 1, name: 'more', text, checksum: String(at), expands: false }))
    await migrate(engine, [...known, ...more])`
    const folder = mkdtempSync(join(tmpdir(), 'cairn-midway-'))
    const file = join(folder, 'migrate.mjs')
    writeFileSync(file, script)
    const child = startScript([file])
    await child.untilPrinted(/midway/)
    child.process.kill('SIGKILL')
    await child.ended
    rmSync(folder, { recursive: true })

    const engine = await openEngine(database.target)
    try {
      const known = readMigrations()
      const next = known.length + 2
      const first = { number: next - 1, name: 'more', text: halves[0]!, checksum: '0', expands: false }
      const second = {
        number: next,
        name: 'more',
        text: 'create table second_half (a int)',
        checksum: '1',
        expands: false,
      }
      // A server notices a disconnected client only after its statement, so the test terminates it.
      const left = "from pg_stat_activity where query like '%pg_sleep(600)%' and pid <> pg_backend_pid()"
      if (kind === 'postgres') {
        await askEngine(engine, `select pg_terminate_backend(pid) ${left}`)
        await expect.poll(() => askEngine(engine, `select ${left}`)).toEqual([])
      }
      const tables = () => askEngine(engine, "select relname from pg_class where relname like '%_half' order by 1")
      expect(await tables()).toEqual([{ relname: 'first_half' }])
      await migrate(engine, [...known, first, second])
      expect(await tables()).toEqual([{ relname: 'first_half' }, { relname: 'second_half' }])
    } finally {
      await engine.close()
      database.remove()
    }
  },
)

test('a user who cannot create roles gets a message with the commands to run', async () => {
  const database = await newDatabase('postgres')
  const service = await openEngine(database.target)
  await askEngine(service, 'create role powerless login')
  const url = new URL((database.target as { url: string }).url)
  url.username = 'powerless'
  const engine = await openEngine({ url: url.href })
  await expect(migrate(engine)).rejects.toThrow(/Run this as a user who may: .*grant cairn_owner/)
  await engine.close()
  await service.close()
})

test('a missing migration number is detected', () => {
  const numbers = readMigrations().map(({ number }) => number)
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
})

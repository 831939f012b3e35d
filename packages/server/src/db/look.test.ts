import { sql as text } from 'kysely'
import { expect, test } from 'vitest'
import { newDatabase, onEachEngine } from '../../../../tests/harness/postgres.ts'
import { insertAccount } from '../tenancy/accounts/store.ts'
import { type Client, type Engine, withClient } from './engine.ts'
import { sqlOn } from './open.ts'
import { openPostgres } from './postgres.ts'

const NOW = new Date('2026-03-14T09:26:53.123Z')
const MORE_THAN_ARE_KEPT = 120

onEachEngine((sql) => {
  const newAccount = (userId: string) => sql().transact(userId, (tx) => insertAccount(tx, userId, 'Looked at', NOW))
  const accountOf = (scope: string, userId: string) =>
    sql().look(scope, (tx) => tx.selectFrom('account').selectAll().where('user_id', '=', userId))

  test('a query returns the rows of its scope and nothing of another tenant', async () => {
    await Promise.all(['acct_mine', 'acct_theirs'].map(newAccount))
    expect(await accountOf('acct_mine', 'acct_mine')).toMatchObject([{ user_id: 'acct_mine', created_at: NOW }])
    expect(await accountOf('acct_mine', 'acct_theirs')).toEqual([])
    expect(await accountOf('acct_theirs', 'acct_mine')).toEqual([])
  })

  test('values and scopes are never interpreted as SQL', async () => {
    for (const value of ["'; drop table account; --", "\\'", 'a"b', '$1', 'ü😀\n\u0001', "E'\\x41'"]) {
      const rows = await sql().look(value, (tx) => tx.selectNoFrom(text<string>`${value}::text`.as('said')))
      expect(rows).toEqual([{ said: value }])
    }
  })

  test('numbers, booleans and nulls are returned unchanged', async () => {
    const [row] = await sql().look('acct_mine', (tx) =>
      tx.selectNoFrom([
        text<number>`${7}::bigint`.as('seven'),
        text<boolean>`${true}::boolean`.as('yes'),
        text<string | null>`${null}::text`.as('none'),
      ]),
    )
    expect(row).toEqual({ seven: 7, yes: true, none: null })
  })

  test('times, bytes, objects and arrays of texts are sent unchanged', async () => {
    const bytes = Buffer.from([0, 1, 254, 255])
    const texts = ["it's", '{"a,b"}', '', 'ü😀']
    const object = { text: "it's \\ “so”", list: [1, null, { deep: true }] }
    const [row] = await sql().look('acct_mine', (tx) =>
      tx.selectNoFrom([
        text<Date>`${NOW}::timestamptz`.as('at'),
        text<Buffer>`${bytes}::bytea`.as('bytes'),
        text<object>`${object}::jsonb`.as('object'),
        text<string[]>`${texts}::text[]`.as('texts'),
      ]),
    )
    expect(row).toEqual({ at: NOW, bytes, object, texts })
  })

  test('a write is visible to the next query, and a rejected one is not', async () => {
    await newAccount('acct_changed')
    const rename = (name: string) =>
      sql().write('acct_changed', (tx) =>
        tx
          .updateTable('account')
          .set({ display_name: name, status: text<'active'>`case when ${name} = 'bad' then 'none' else 'active' end` })
          .where('user_id', '=', 'acct_changed')
          .returning('display_name'),
      )
    expect(await rename('Renamed')).toEqual([{ display_name: 'Renamed' }])
    await expect(rename('bad')).rejects.toThrow(/account_status/)
    expect(await accountOf('acct_changed', 'acct_changed')).toMatchObject([{ display_name: 'Renamed' }])
  })

  test('a failed query does not affect the next one', async () => {
    const divide = (by: number) =>
      sql().look('acct_mine', (tx) => tx.selectNoFrom(text<number>`12 / ${by}::int`.as('share')))
    expect(await divide(3)).toEqual([{ share: 4 }])
    await expect(divide(0)).rejects.toThrow(/division by zero/)
    expect(await divide(4)).toEqual([{ share: 3 }])
    await newAccount('acct_after')
    expect(await accountOf('acct_after', 'acct_after')).toHaveLength(1)
  })

  test('more statements than the cache holds are answered correctly, also when they fail', async () => {
    for (let at = 0; at < MORE_THAN_ARE_KEPT; at += 1) {
      const rows = await sql().look('acct_mine', (tx) =>
        tx.selectNoFrom(text<number>`${text.raw(String(at))}`.as('at')),
      )
      expect(rows).toEqual([{ at }])
    }
    const broken = sql().look('acct_mine', (tx) => tx.selectNoFrom(text<number>`1 / ${text.raw('0')}`.as('none')))
    await expect(broken).rejects.toThrow(/division by zero/)
    expect(await accountOf('acct_mine', 'acct_mine')).toHaveLength(1)
  })

  test('concurrent queries do not mix', async () => {
    const asked = Array.from({ length: 50 }, (_, at) =>
      sql().look(`acct_${at}`, (tx) =>
        tx.selectNoFrom([text<string>`current_setting('app.tenant')`.as('tenant'), text<number>`${at}::int`.as('at')]),
      ),
    )
    expect(await Promise.all(asked)).toEqual(asked.map((_, at) => [{ tenant: `acct_${at}`, at }]))
  })
})

/** Processes whose transactions share one server connection, like with a pooler in transaction mode. */
async function onSharedConnection(
  processes: number,
  work: (looks: ((own: string) => Promise<unknown[]>)[], server: Client, engine: Engine) => Promise<void>,
): Promise<void> {
  const { target } = await newDatabase('postgres')
  const engine = openPostgres((target as { url: string }).url)
  await withClient(engine, async (server) => {
    const looks = Array.from({ length: processes }, () => {
      const query = (asked: string, values: readonly unknown[]) => server.query(asked, values)
      const client = { query, release: () => undefined } as unknown as Client
      const own = sqlOn({ ...engine, pool: { connect: async () => client, end: async () => undefined } })
      return (said: string) => own.look('acct_mine', (tx) => tx.selectNoFrom(text<string>`${text.lit(said)}`.as('own')))
    })
    await work(looks, server, engine)
  })
  await engine.close()
}

test('processes that share a connection each get the result of their own statement', () =>
  onSharedConnection(2, async (looks, server) => {
    for (let round = 0; round < 3; round += 1) {
      for (const [at, look] of looks.entries()) expect(await look(`mine ${at}`)).toEqual([{ own: `mine ${at}` }])
      for (const look of looks) expect(await look(`of all ${round}`)).toEqual([{ own: `of all ${round}` }])
    }
    // The pooler assigns a connection without prepared statements.
    await server.query('deallocate all', [])
    for (const [at, look] of looks.entries()) expect(await look(`mine ${at}`)).toEqual([{ own: `mine ${at}` }])
  }))

test('a prepared name that belongs to another statement is prepared again', () =>
  onSharedConnection(2, async ([first, second], server) => {
    expect(await first!('mine')).toEqual([{ own: 'mine' }])
    const { rows } = await server.query<{ name: string }>('select name from pg_prepared_statements', [])
    for (const { name } of rows)
      await server.query(`deallocate ${name}; prepare ${name} as select 'foreign' as own`, [])
    expect(await second!('mine')).toEqual([{ own: 'mine' }])
  }))

test('a statement is prepared again after the tables have changed', async () => {
  const { target } = await newDatabase('postgres')
  const engine = openPostgres((target as { url: string }).url)
  const sql = sqlOn(engine)
  const all = () => sql.look('acct_mine', (tx) => tx.selectFrom('account').selectAll())
  await sql.transact('acct_mine', (tx) => insertAccount(tx, 'acct_mine', 'Mine', NOW))
  const [before] = await all()
  await withClient(engine, (client) =>
    client.query('begin; set local role cairn_owner; alter table account add column note text; commit', []),
  )
  expect(await all()).toEqual([{ ...before, note: null }])
  await sql.close()
})

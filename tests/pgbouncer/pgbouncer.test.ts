import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Compilable, sql as text } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql, type Sql, type Tx } from '../../packages/server/src/db/open.ts'
import { newDatabase } from '../harness/postgres.ts'
import { type Call, newSandbox, openTestApp, type TestApp } from '../harness/test-app.ts'
import { findPgBouncer, type PgBouncer, startPgBouncer, trackings } from './pgbouncer-server.ts'

const found = findPgBouncer()
if (typeof found === 'string') console.log(found)
const { program, version } = typeof found === 'string' ? { program: '', version: '' } : found

const LOOKS = 200
/** Maximum milliseconds during which an unheard notification is published again. */
const HEARD_MS_MAX = 4_000
const RECORDS = 30
const TABLES = 30

describe.skipIf(program === '').each(trackings(version))(
  `PgBouncer ${version} in transaction mode, max_prepared_statements %s`,
  (tracked) => {
    let bouncer: PgBouncer
    let nodes: Sql[]
    let direct: string
    beforeAll(async () => {
      direct = ((await newDatabase('postgres')).target as { url: string }).url
      bouncer = await startPgBouncer(program, direct, tracked)
      nodes = await Promise.all([openSql({ url: bouncer.url }), openSql({ url: bouncer.url })])
    })
    afterAll(async () => {
      for (const node of nodes ?? []) await node.close()
      await bouncer?.stop()
    })

    const onBoth = (ask: (node: Sql, at: number) => Promise<void>) =>
      Promise.all(Array.from({ length: LOOKS }, (_, at) => nodes.map((node) => ask(node, at))).flat())

    it('queries of two processes get the results of their own statements', async () => {
      await onBoth(async (node, at) => {
        const own = `${nodes.indexOf(node)} ${at % TABLES}`
        const rows = await node.look('acct_1', (tx) =>
          tx.selectNoFrom([text<string>`${text.lit(own)}::text`.as('own'), text<number>`${at}::int`.as('at')]),
        )
        expect(rows).toEqual([{ own, at }])
      })
    })

    it('a statement prepared by somebody else under the same name is never executed', async () => {
      const ask = (tx: Tx): Compilable<{ own: string }> => tx.selectNoFrom(text<string>`'mine'`.as('own'))
      expect(await nodes[0]!.look('acct_1', ask)).toEqual([{ own: 'mine' }])
      const own = await openSql({ url: bouncer.url })
      // Takes the existing statement names on each server connection for something else.
      await onEachServerConnection(bouncer.url, async (client) => {
        const { rows } = await client.query("select name from pg_prepared_statements where name like 'look%'")
        for (const { name } of rows) {
          await client.query(`deallocate ${name}; prepare ${name} as select 'foreign' as own`)
        }
      })
      for (let at = 0; at < LOOKS; at += 1) expect(await own.look('acct_1', ask)).toEqual([{ own: 'mine' }])
      await own.close()
      await onEachServerConnection(bouncer.url, (client) => client.query('deallocate all'))
      for (let at = 0; at < LOOKS; at += 1) expect(await nodes[0]!.look('acct_1', ask)).toEqual([{ own: 'mine' }])
    })

    it('no session setting stays on a shared connection', async () => {
      await nodes[0]!.scrub()
      await onBoth((node) => node.transact('acct_1', async () => undefined))
      await onEachServerConnection(bouncer.url, async (client) => {
        const asked = `select current_user = session_user as own, current_setting('app.tenant', true) as tenant,
          current_setting('statement_timeout') as timeout, (select count(*)::int from pg_locks l
          where l.pid = pg_backend_pid() and l.locktype = 'advisory') as locks`
        expect((await client.query(asked)).rows).toEqual([{ own: true, tenant: '', timeout: '0', locks: 0 }])
      })
    })

    it('a process listens for notifications only past the pooler, and leaves no listening connection', async () => {
      const heardAt = async (directUrl: string | null) => {
        const node = await openSql({ url: bouncer.url, directUrl })
        let heard = 0
        const listening = node.listen('cairn', () => {
          heard += 1
        })
        const until = performance.now() + HEARD_MS_MAX
        while (heard === 0 && performance.now() < until) {
          await node.notify('cairn', 'x')
          await sleep(HEARD_MS_MAX / LOOKS)
        }
        await listening.stop()
        await node.close()
        return heard > 0
      }
      expect(await heardAt(null)).toBe(false)
      await onEachServerConnection(bouncer.url, async (client) => {
        expect((await client.query('select pg_listening_channels()')).rows).toEqual([])
      })
      expect(await heardAt(direct)).toBe(true)
    })

    describe('two processes of the service', () => {
      let folder: string
      let apps: TestApp[]
      beforeAll(async () => {
        folder = mkdtempSync(join(tmpdir(), 'cairn-bounced-'))
        apps = []
        for (const sql of nodes) apps.push(await openTestApp(sql, 'postgres', { CAIRN_DATA: folder }))
      })
      afterAll(async () => {
        for (const app of apps ?? []) await app.cairn.close()
        rmSync(folder, { recursive: true, force: true })
      })

      it('import, apply, find and export their data', async () => {
        const [here, there] = apps as [TestApp, TestApp]
        const account = await here.newAccount()
        const sandbox = await newSandbox(account.call)
        const authorization = `Bearer ${account.key}`
        const callThere: Call = (method, path, body, also) =>
          there.anonymous(method, path, body, { authorization, ...also })
        const calls = [account.call, callThere]
        const headers = { prefer: 'wait=60' }
        const answers = await Promise.all(
          Array.from({ length: RECORDS }, (_, at) => {
            const record = { external_id: `note_${at}`, type: 'note', text: `Harbour has berth ${at}.` }
            return calls[at % 2]!('POST', sandbox.records, { records: [record] }, headers)
          }),
        )
        expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
        for (const call of calls) {
          const exported = await call('GET', `${sandbox.storage}/export`)
          expect(exported.status).toBe(200)
          expect(String(exported.body).match(/"external_id":"note_/g)).toHaveLength(RECORDS)
          const answer = await call('POST', `${sandbox.query}/discover`, { query: 'Which berths has Harbour?' })
          expect(answer.status).toBe(200)
          expect(JSON.stringify(answer.body)).toContain('has berth')
        }
      })
    })
  },
)

/**
 * Runs the work on as many concurrent connections as there are clients, and so on every server connection of the pool.
 */
async function onEachServerConnection(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const clients = Array.from({ length: 3 }, () => new Client({ connectionString: url }))
  try {
    await Promise.all(clients.map((client) => client.connect()))
    await Promise.all(clients.map((client) => client.query('begin')))
    for (const client of clients) await work(client)
    await Promise.all(clients.map((client) => client.query('commit')))
  } finally {
    for (const client of clients) await client.end()
  }
}

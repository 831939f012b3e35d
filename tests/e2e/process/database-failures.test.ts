import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql, type Sql } from '../../../packages/server/src/db/open.ts'
import { type CuttableDatabase, openCuttable } from '../../harness/cut-connection.ts'
import { newDatabase, RUN_ON } from '../../harness/postgres.ts'
import { newSandbox, openTestApp, putRecords, type TestAccount, type TestApp } from '../../harness/test-app.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
const AT_ONCE = 30
const CLAIM_MS = 61_000
const SOON = { interval: 200 }

// An embedded engine has no connection to lose and no concurrent transactions.
describe.runIf(RUN_ON.includes('postgres'))('a PostgreSQL server that fails', () => {
  let database: CuttableDatabase
  let sql: Sql
  let folder: string
  let app: TestApp
  let account: TestAccount
  beforeAll(async () => {
    const { target } = await newDatabase('postgres')
    if (!('url' in target)) throw new Error('There is no server.')
    database = await openCuttable(target.url)
    sql = await openSql({ url: database.url })
    folder = mkdtempSync(join(tmpdir(), 'cairn-failing-'))
    app = await openTestApp(sql, 'postgres', { CAIRN_DATA: folder })
    account = await app.newAccount()
  })
  afterAll(async () => {
    await app?.cairn.close().catch(() => undefined)
    await sql?.close().catch(() => undefined)
    await database?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const create = (name: string, key: string) =>
    account.call('POST', SANDBOXES, { name, owner_id: 'failing' }, { 'idempotency-key': key })
  const named = async (name: string) => {
    const { body } = await account.call('GET', `${SANDBOXES}?owner_id=failing&limit=1000`)
    return body.sandboxes.filter((each: { name: string }) => each.name === name)
  }

  it('a connection lost after its commit gives 503, and a repeat resolves the outcome', async () => {
    const [name, key] = ['lost-on-the-way-back', 'settles-1']
    database.cutAfterCommitOf(name)
    const lost = await create(name, key)
    expect(database.cuts).toBe(1)
    expect(lost).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    expect(Number(lost.headers['retry-after'])).toBeGreaterThan(0)
    const again = await create(name, key)
    expect(again).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } })
    expect(await named(name)).toMatchObject([{ sandbox_id: again.body.sandbox_id }])
  })

  it('an idempotency key whose commit was lost blocks no repeat', async () => {
    const [name, key] = ['claimed-unheard', 'settles-at-once']
    database.cutAfterCommitOf(key)
    expect((await create(name, key)).status).toBe(503)
    expect((await create(name, key)).status).toBe(201)
    expect(await named(name)).toHaveLength(1)
  })

  it('a change whose commit was lost is made once', async () => {
    const { body: made } = await create('before-the-change', 'settles-2')
    const path = `${SANDBOXES}/${made.sandbox_id}`
    const name = 'after-the-change'
    database.cutAfterCommitOf(name)
    expect((await account.call('PATCH', path, { name })).status).toBe(503)
    const { body, headers } = await account.call('GET', path)
    expect(body.name).toBe(name)
    const events = (await account.call('GET', `${path}/audit?limit=100`)).body.events as { event: string }[]
    expect(events.filter(({ event }) => event === 'sandbox.updated')).toHaveLength(1)
    expect((await account.call('PATCH', path, { name }, { 'if-match': headers.etag! })).status).toBe(200)
  })

  it('in a failover, committed requests persist, and repeats complete the rest once', async () => {
    const names = Array.from({ length: AT_ONCE }, (_, at) => `failover-${at}`)
    const attempts = names.map((name) => create(name, name))
    await killOthers(database.url)
    const first = await Promise.all(attempts)
    expect(first.map(({ status }) => status).filter((status) => status !== 201 && status !== 503)).toEqual([])
    // A claim of an idempotency key that could not be released expires after a minute.
    app.clock.advance(CLAIM_MS)
    for (const name of names) await expect.poll(async () => (await create(name, name)).status, SOON).toBe(201)
    for (const [at, { status, body }] of first.entries()) {
      const found = await named(names[at]!)
      expect(found).toHaveLength(1)
      if (status === 201) expect(found[0].sandbox_id).toBe(body.sandbox_id)
    }
  })

  it('two deadlocked transactions both succeed, one of them retried', async () => {
    const ids = [(await create('lock-1', 'lock-1')).body.sandbox_id, (await create('lock-2', 'lock-2')).body.sandbox_id]
    let runs = 0
    let waiting = 0
    let bothHold: () => void = () => undefined
    const meeting = new Promise<void>((resolve) => {
      bothHold = resolve
    })
    const inOrder = (first: string, second: string, metadata: object) =>
      sql.transact(account.userId, async (tx) => {
        runs += 1
        const change = (id: string) =>
          tx
            .updateTable('sandbox')
            .set({ metadata: { ...metadata } })
            .where('user_id', '=', account.userId)
            .where('id', '=', id)
            .execute()
        await change(first)
        waiting += 1
        if (waiting === 2) bothHold()
        await meeting
        await change(second)
      })
    await Promise.all([inOrder(ids[0], ids[1], { by: 'one' }), inOrder(ids[1], ids[0], { by: 'other' })])
    expect(runs).toBeGreaterThan(2)
  })

  it('a delivery that waits for a sandbox being deleted holds no lock that the deletion needs', async () => {
    const doomed = await newSandbox(account.call, 'Doomed')
    const { id, source } = doomed
    const record = { external_id: '1', type: 'note', text: 'Late.' }
    // The first delivery creates the row of its rate limit, which would wait for the sandbox before the source is read.
    await putRecords(account.call, doomed, [record])
    const delivered = await sql.transact(account.userId, async (tx) => {
      await tx.selectFrom('sandbox').select('id').where('id', '=', id).forUpdate().execute()
      const delivery = account.call('POST', doomed.records, { records: [record] })
      await expect.poll(() => countWaiting(database.url), SOON).toBe(1)
      const held = tx.selectFrom('source').select('id').where('id', '=', source).forUpdate().noWait()
      expect(await held.execute()).toEqual([{ id: source }])
      return { delivery }
    })
    expect((await delivered.delivery).status).toBe(202)
  })
})

/** Returns the number of connections waiting for a lock. */
async function countWaiting(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return rows.length
  })
}

/** Terminates all other connections to the database, as a failover does. */
async function killOthers(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
  })
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

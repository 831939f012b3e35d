import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Tables } from '../../../packages/server/src/db/tables.ts'
import { newSandbox, onEachApp, putRecords } from '../../harness/test-app.ts'

/** Tables that intentionally keep rows: ids in the audit log, account data, and the erasures themselves. */
const KEPT: (keyof Tables)[] = ['audit', 'account', 'api_key', 'usage', 'model_use', 'erasure']
const TABLES: (keyof Tables)[] = [
  'sandbox',
  'sandbox_head',
  'connection',
  'source',
  'source_secret',
  'source_tombstone',
  'sealed_secret',
  'project',
  'project_source',
  'inbox',
  'job',
  'merge_ledger',
  'merge_suggestion',
  'deleted_record',
  'import_file',
  'idempotency',
  'rate',
]

onEachApp((app) => {
  /** Returns the tables with a row of the account that contains the text. */
  const holding = (userId: string, text: string, tables = TABLES) =>
    app().cairn.app.sql.transact(userId, async (tx) => {
      const found: string[] = []
      for (const table of tables) {
        const { rows } = await sql<{ row: string }>`select row_to_json(t)::text ||
          coalesce(convert_from(case when ${table} = 'idempotency' then decode(
            substr(row_to_json(t)->>'body', 3), 'hex') end, 'UTF8'), '') as row
          from ${sql.table(table)} t`.execute(tx)
        if (rows.some(({ row }) => row.includes(text))) found.push(table)
      }
      return found
    })

  const start = async () => {
    const account = await app().newAccount()
    const { call } = account
    const sandbox = await newSandbox(call, 'Zqname')
    const keyed = { 'idempotency-key': 'k1' }
    const source = await call(
      'POST',
      `${sandbox.storage}/sources`,
      { provider: 'slack', name: 'Zqsource', ingestion_mode: 'realtime', adapter_config: { channel: 'Zqconfig' } },
      keyed,
    )
    const { data_source_id: sourceId } = source.body
    await call('POST', `${sandbox.storage}/projects`, { name: 'Zqproject', data_source_ids: [sourceId] }, keyed)
    await call('POST', `${sandbox.storage}/sources/${sourceId}/rotate-webhook-secret`, { grace_seconds: 60 })
    const fed = { ...sandbox, records: `${sandbox.storage}/sources/${sourceId}/records` }
    const identifiers = { login: 'annzq', email: 'zqmail@example.org' }
    const by = (author: object) => ({ type: 'note', text: 'Zqtext', author })
    await putRecords(call, fed, [
      { external_id: 'a', ...by({ name: 'Ann Zqperson', identifiers: { login: identifiers.login } }) },
      { external_id: 'b', ...by({ name: 'A. Zqother', identifiers: { email: identifiers.email } }) },
    ])
    // Gives evidence that the two are the same, which stores a merge with its reason.
    await putRecords(call, fed, [
      { external_id: 'c', ...by({ name: 'Ann Zqperson', identifiers }) },
      { external_id: 'Zqfailed', type: 5 },
    ])
    return { ...account, sandbox, sourceId, path: `${sandbox.storage}/sources/${sourceId}` }
  }

  it('a deleted sandbox leaves no row with its id or content, except its audit log', async () => {
    const { userId, call, sandbox } = await start()
    for (const [text, table] of [
      ['Zqname', 'sandbox'],
      ['Zqconfig', 'source'],
      ['Zqproject', 'idempotency'],
      ['zqmail', 'merge_ledger'],
      ['Zqfailed', 'job'],
    ] as const) {
      expect(await holding(userId, text), text).toContain(table)
    }
    const { body } = await call('DELETE', sandbox.storage)
    expect(body.deleted).toMatchObject({ records: 3, objects: expect.any(Number) })
    expect(body.deleted.sql).toBeGreaterThan(8)
    for (const text of ['Zq', 'zqmail', sandbox.id]) expect(await holding(userId, text), text).toEqual([])
    expect(await holding(userId, sandbox.id, KEPT)).toEqual(expect.arrayContaining(['audit']))
    expect(await holding(userId, 'Zq', KEPT)).toEqual([])
  })

  it('a purged source leaves no row of its records, and with delete_source none of itself', async () => {
    const { userId, call, sandbox, sourceId, path } = await start()
    const purged = await call('POST', `${path}/purge`)
    const gone = { events_deleted: 3, canonical_index_rows_deleted: 1, project_links_deleted: 0 }
    expect(purged.body).toMatchObject({ ...gone, delete_source_applied: false })
    for (const text of ['Zqtext', 'zqmail', 'Zqfailed', 'Zqperson'])
      expect(await holding(userId, text), text).toEqual([])
    expect((await call('GET', path)).body.name).toBe('Zqsource')
    expect((await call('GET', `${path}/runs`)).body.runs[0].counts).toMatchObject({ written: 1, failed: 1 })

    const again = await call('POST', `${path}/purge`, { delete_source: true })
    const nothing = { events_deleted: 0, canonical_index_rows_deleted: 0, extractions_deleted: 0 }
    expect(again.body).toMatchObject({ ...nothing, delete_source_applied: true })
    expect((await call('GET', path)).status).toBe(404)
    for (const text of ['Zqsource', 'Zqconfig']) expect(await holding(userId, text), text).toEqual([])
    expect(await holding(userId, sourceId)).toEqual(['source_tombstone', 'job'])
    expect((await call('GET', sandbox.storage)).body.name).toBe('Zqname')
    expect((await call('POST', `${path}/purge`)).status).toBe(404)
  })

  it('waiting deliveries are deleted by a purge, and its job ends and says so', async () => {
    const { call, sandbox, path } = await start()
    const other = { ...sandbox, records: `${path}/records` }
    const records = Array.from({ length: 2_500 }, (_, n) => ({
      external_id: `x${n}`,
      type: 'note',
      text: `Crate ${n}`,
    }))
    const job = await call('POST', other.records, { records })
    expect(job.status).toBe(202)
    const { body } = await call('POST', `${path}/purge`)
    expect(body.events_deleted).toBeLessThanOrEqual(2_503)
    const { body: ended } = await call('GET', `${sandbox.storage}/ingest/${job.body.job_id}`)
    expect(['completed', 'cancelled']).toContain(ended.status)
    expect((await call('POST', `${sandbox.query}/discover`, { query: 'Crate 17' })).body.count).toBe(0)
    await putRecords(call, other, [{ external_id: 'new', type: 'note', text: 'A crate came after.' }])
    expect((await call('POST', `${sandbox.query}/discover`, { query: 'crate' })).body.count).toBe(1)
    expect((await call('GET', `${sandbox.storage}/usage`)).body.max_records).toBe(1)
  })

  it('two concurrent purges have the same result, and another account cannot purge', async () => {
    const { call, path } = await start()
    const stranger = await app().newAccount()
    expect((await stranger.call('POST', `${path}/purge`)).status).toBe(404)
    const both = await Promise.all([call('POST', `${path}/purge`), call('POST', `${path}/purge`)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(Math.max(...both.map(({ body }) => body.events_deleted))).toBe(3)
  })
})

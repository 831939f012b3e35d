import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql, type Sql } from '../../../packages/server/src/db/open.ts'
import { scrubDatabase } from '../../../packages/server/src/lifecycle/erasure/finish-erasures.ts'
import { untilVectored, vectorsFor } from '../../harness/concepts.ts'
import { countFiles, filesContaining } from '../../harness/disk.ts'
import { startModel } from '../../harness/model-server.ts'
import { newDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { newSandbox, openTestApp, putRecords, type TestAccount, type TestApp } from '../../harness/test-app.ts'

/** Returns unique texts, one for each kind of stored data of a sandbox. */
const canaries = (name: string) => {
  const word = (place: string) => `zq${name}${place}zq`
  return {
    text: word('text'),
    person: word('person'),
    email: word('email'),
    predicate: word('predicate'),
    property: word('property'),
    failed: word('failed'),
    vector: word('vector'),
  }
}

type Canaries = ReturnType<typeof canaries>

const DIMENSIONS = 64
const BYTE_MAX = 127

/** Returns a vector whose stored bytes are the canary of its text. */
function distinctVector(text: string): number[] {
  const name = /zq(\w+)textzq/.exec(text)?.[1] ?? 'none'
  const bytes = [...Buffer.from(canaries(name).vector)]
  return Array.from({ length: DIMENSIONS }, (_, at) => bytes[at] ?? (at === DIMENSIONS - 1 ? BYTE_MAX : 1))
}

const model = await startModel()
model.answer = (request) => vectorsFor(request, distinctVector)
afterAll(() => model.close())

const recordsOf = (canary: Canaries, from = 0) =>
  Array.from({ length: 20 }, (_, n) => ({
    external_id: `${canary.text}-${from + n}`,
    type: 'message',
    text: `The ${canary.text} number ${from + n} came in.`,
    author: { name: `Ann ${canary.person}`, identifiers: { email: `${canary.email}@example.org` } },
    relations: [{ subject: `Ann ${canary.person}`, predicate: canary.predicate, object: 'Depot' }],
    entities: [{ type: 'place', name: 'Depot' }],
    properties: { state: canary.property },
  }))

describe('erased content leaves no byte on the disk', () => {
  let database: TestDatabase
  let sql: Sql
  let folder: string
  let app: TestApp
  let account: TestAccount

  beforeAll(async () => {
    database = await newDatabase('pglite')
    sql = await openSql(database.target)
    folder = mkdtempSync(join(tmpdir(), 'cairn-erasure-'))
    app = await openTestApp(sql, 'pglite', {
      CAIRN_DATA: folder,
      CAIRN_EMBED_BASE_URL: model.baseUrl,
      CAIRN_EMBED_NAME: 'telling',
      CAIRN_EMBED_DIMENSIONS: String(DIMENSIONS),
    })
    account = await app.newAccount()
  })

  afterAll(async () => {
    await app?.cairn.close()
    await sql?.close()
    database?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const found = (text: string) => [
    ...filesContaining((database.target as { folder: string }).folder, text).map((path) => `sql/${path}`),
    ...filesContaining(folder, text),
  ]
  const scrub = () => scrubDatabase(app.cairn.app, 0)

  /** Ingests records twice, and some that fail, so that old versions, job results and failed rows contain them too. */
  const fill = async (call: TestAccount['call'], sandbox: Awaited<ReturnType<typeof newSandbox>>, canary: Canaries) => {
    await putRecords(call, sandbox, recordsOf(canary))
    await untilVectored(app, account.userId, sandbox)
    await putRecords(call, sandbox, [...recordsOf(canary, 10), { external_id: canary.failed, type: 7 }])
    await untilVectored(app, account.userId, sandbox)
    const { body } = await call('POST', `${sandbox.query}/discover`, { query: canary.text })
    expect(body.count).toBeGreaterThan(0)
  }

  it('deleting a sandbox', async () => {
    const canary = canaries('whole')
    const { call } = account
    const sandbox = await newSandbox(call, 'zqwholenamezq')
    await call('PATCH', sandbox.storage, { metadata: { note: 'zqwholemetazq' } })
    await fill(call, sandbox, canary)
    // Flushes rows that are only in the write-ahead log.
    await sql.scrub()
    const names = [...Object.values(canary), 'zqwholenamezq', 'zqwholemetazq']
    for (const name of ['zqwholenamezq', 'zqwholemetazq', canary.failed]) {
      expect(found(name), name).toContainEqual(expect.stringMatching(/^sql\/base\//))
    }
    await fill(call, sandbox, canary)
    expect(found(canary.text)).toContainEqual(expect.stringMatching(/^sql\/pg_wal\//))
    for (const name of [canary.text, canary.person, canary.email, canary.predicate, canary.property, canary.vector]) {
      expect(found(name), name).toContainEqual(expect.stringMatching(/^knowledge.*\.lance$/))
    }
    const path = join(folder, 'knowledge', account.userId, sandbox.id)
    const files = countFiles(path)
    expect(files).toBeGreaterThan(10)

    const { status, body } = await call('DELETE', sandbox.storage)
    expect(status).toBe(200)
    expect(body.deleted).toMatchObject({ records: 30, entities: 2, links: 30 })
    expect(body.deleted.objects).toBeGreaterThanOrEqual(files)
    expect(countFiles(path)).toBe(0)
    await scrub()
    for (const name of names) expect(found(name), name).toEqual([])
  })

  it('erasing an owner, in all own sandboxes but in none of others', async () => {
    const { call } = account
    const [canary, kept] = [canaries('gone'), canaries('kept')]
    const mine = await newSandbox(call, 'zqgonefirstzq')
    const other = await newSandbox(call, 'zqgonesecondzq')
    await call('POST', '/api/v1/storage/sandboxes', { name: 'Stays', owner_id: 'someone else', tier: 'pro' })
    const { body: list } = await call('GET', '/api/v1/storage/sandboxes?owner_id=someone%20else')
    const staying = `/api/v1/storage/sandboxes/${list.sandboxes[0].sandbox_id}`
    const { body: source } = await call('POST', `${staying}/sources`, { provider: 'slack', name: 'Chat' })
    await fill(call, mine, canary)
    await fill(call, other, canary)
    await call('POST', `${other.storage}/archive`)
    const { status } = await call(
      'POST',
      `${staying}/sources/${source.data_source_id}/records`,
      { records: recordsOf(kept) },
      { prefer: 'wait=30' },
    )
    expect(status).toBe(200)

    const { body } = await call('POST', '/api/v1/storage/owners/erase', { owner_id: 'owner' })
    expect(body).toMatchObject({ success: true, sandboxes: 2, deleted: { records: 60, links: 60 } })
    await scrub()
    for (const name of [...Object.values(canary), 'zqgonefirstzq', 'zqgonesecondzq']) {
      expect(found(name), name).toEqual([])
    }
    for (const name of [kept.text, kept.person]) expect(found(name), name).not.toEqual([])
    const again = await call('POST', '/api/v1/storage/owners/erase', { owner_id: 'owner' })
    expect(again.body).toMatchObject({ sandboxes: 0, deleted: { sql: 0, objects: 0 } })
  })

  it('purging a source, while the other sources stay intact', async () => {
    const { call } = account
    const [canary, kept] = [canaries('purged'), canaries('spared')]
    const sandbox = await newSandbox(call, 'Two sources')
    const { body: second } = await call('POST', `${sandbox.storage}/sources`, { provider: 'github', name: 'Code' })
    const spared = { ...sandbox, records: `${sandbox.storage}/sources/${second.data_source_id}/records` }
    await fill(call, sandbox, canary)
    await putRecords(call, spared, recordsOf(kept))
    await untilVectored(app, account.userId, sandbox)
    for (const name of Object.values(canary)) expect(found(name), name).not.toEqual([])

    const { status, body } = await call('POST', `${sandbox.storage}/sources/${sandbox.source}/purge`, {})
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: true,
      events_deleted: 30,
      canonical_index_rows_deleted: 1,
      extractions_deleted: 30,
      delete_source_applied: false,
    })
    expect(body.vault_objects_deleted).toBeGreaterThan(10)
    await scrub()
    for (const name of Object.values(canary)) expect(found(name), name).toEqual([])
    expect(found(kept.vector)).toContainEqual(expect.stringMatching(/vectors-1\.lance/))
    const { body: discovery } = await call('POST', `${sandbox.query}/discover`, { query: kept.text })
    expect(discovery.count).toBeGreaterThan(0)
    const { body: entities } = await call('GET', `${sandbox.storage}/entities`)
    expect(entities.entities.map((each: { name: string }) => each.name).sort()).toEqual([`Ann ${kept.person}`, 'Depot'])
    const exported = (await call('GET', `${sandbox.storage}/export`)).body as string
    expect(exported.split('\n').filter((line) => line.includes('"record"'))).toHaveLength(20)
  })

  it.each(['purging a source', 'deleting a sandbox'])('%s while a model computes its vectors', async (what) => {
    const { call } = account
    const name = what.startsWith('purging') ? 'amid' : 'late'
    const canary = canaries(name)
    const sandbox = await newSandbox(call, `A model is at work, ${what}`)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const begun = new Promise<void>((resolve) => {
      model.answer = async (request) => {
        if (request.input?.some((text) => text.includes(canary.text))) resolve()
        await released
        return vectorsFor(request, distinctVector)
      }
    })
    await putRecords(call, sandbox, recordsOf(canary))
    await begun
    const erased = what.startsWith('purging')
      ? await call('POST', `${sandbox.storage}/sources/${sandbox.source}/purge`, {})
      : await call('DELETE', sandbox.storage)
    expect(erased.status).toBe(200)
    release()
    model.answer = (request) => vectorsFor(request, distinctVector)
    // The vector worker has passed this sandbox once it has embedded a later one.
    const other = await newSandbox(call, `Came after ${what}`)
    await putRecords(call, other, recordsOf(canaries('after')))
    await untilVectored(app, account.userId, other)
    await scrub()
    for (const text of Object.values(canary)) expect(found(text), text).toEqual([])
  })
})

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { closeInterruptedJobs } from '../../../packages/server/src/ingest/delivery-jobs.ts'
import { clearUploadLeases } from '../../../packages/server/src/sources/import/stored/upload-rows.ts'
import { countFiles, filesContaining } from '../../harness/disk.ts'
import { withKey } from '../../harness/keyed.ts'
import { onEachEngine } from '../../harness/postgres.ts'
import { type Call, newSandbox, openTestApp, type TestApp, type TestSandbox } from '../../harness/test-app.ts'
import { zipOf } from '../../harness/zip.ts'

/** Number of records stored per chunk. */
const CHUNK_RECORDS = 500
const ALL = 3 * CHUNK_RECORDS
const RATE = { ingest_records_per_minute: CHUNK_RECORDS, max_records: null, max_storage_bytes: null }
const FEW = { ...RATE, ingest_records_per_minute: null, max_records: 2 * CHUNK_RECORDS }
const FREELY = { ...RATE, ingest_records_per_minute: null }
const LIMITS = JSON.stringify({ free: RATE, pro: FEW, enterprise: FREELY })
const SOON = { interval: 100 }

const notes = zipOf(
  Array.from({ length: ALL }, (_, at) => ({ name: `${at}.md`, content: `# Barge ${at}\n\nIt left the Pelagic quay.` })),
)
const FAR = { received: CHUNK_RECORDS, written: CHUNK_RECORDS, failed: 0 }
const WHOLE = { received: ALL, written: ALL, unchanged: 0, removed: 0, failed: 0, errors: [] }

onEachEngine((sql, kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-goes-on-'))
  let app: TestApp
  const open = async () => {
    app = await openTestApp(sql(), kind, { CAIRN_DATA: folder, CAIRN_LIMITS: LIMITS })
  }
  beforeEach(open)
  afterEach(() => app.cairn.close())
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Starts an import. The sandbox's rate limit admits one chunk and then nothing for a minute. */
  const begin = async (keyed = (call: Call) => call, far: object = { status: 'processing', result: FAR }) => {
    const { call, key, userId } = await app.newAccount()
    const sandbox = await newSandbox(call, 'Slowed', 'free')
    const headers = { 'content-type': 'application/zip', 'idempotency-key': 'once' }
    const sent = await keyed(call)('POST', `${sandbox.storage}/import`, notes, headers)
    expect([sent.status, sent.body.status]).toEqual([202, 'queued'])
    const ask: Call = (method, path, body, more) =>
      app.anonymous(method, path, body, { authorization: `Bearer ${key}`, ...more })
    const job = async () => (await ask('GET', sent.body.status_url)).body
    await expect.poll(job, SOON).toMatchObject(far)
    const hurry = () => app.admin('PATCH', `/api/v1/admin/sandboxes/${sandbox.id}`, { tier: 'enterprise' })
    return { ask, job, hurry, sandbox, userId, accepted: sent.body }
  }
  const importsOf = (userId: string, id: string) => join(folder, 'knowledge', userId, id, 'imports')
  const uploads = (userId: string) =>
    app.cairn.app.sql.transact(userId, (tx) => tx.selectFrom('import_upload').selectAll().execute())
  const isClean = async (userId: string, { id }: TestSandbox) => {
    await expect.poll(() => uploads(userId), SOON).toEqual([])
    expect(countFiles(importsOf(userId, id))).toBe(0)
  }
  const countIn = async (ask: Call, { storage }: TestSandbox) =>
    String((await ask('GET', `${storage}/export`)).body).match(/"kind":"record"/g)?.length

  it('a long upload is accepted, and continued by the next process when this one stops', async () => {
    const { ask, job, hurry, sandbox, userId, accepted } = await begin()
    const kept = await app.cairn.app.sql.transact(userId, (tx) =>
      tx.selectFrom('idempotency').select(['status', 'body']).executeTakeFirst(),
    )
    expect([kept?.status, JSON.parse(String(kept?.body))]).toEqual([202, accepted])
    const stored = importsOf(userId, sandbox.id)
    expect([countFiles(stored), filesContaining(stored, 'Pelagic')]).toEqual([1, []])
    await hurry()
    await app.cairn.close()
    await open()
    await closeInterruptedJobs(app.cairn.app)
    await expect.poll(job, SOON).toMatchObject({ status: 'completed', result: WHOLE, retry_count: 0 })
    expect(await countIn(ask, sandbox)).toBe(ALL)
    await isClean(userId, sandbox)
  })

  it('an import whose process seems dead is continued once, and the old process writes no more', async () => {
    const { ask, job, hurry, sandbox, userId } = await begin()
    await hurry()
    await clearUploadLeases(app.cairn.app)
    await expect.poll(job, SOON).toMatchObject({ status: 'completed', result: WHOLE, retry_count: 1 })
    expect(await countIn(ask, sandbox)).toBe(ALL)
    await isClean(userId, sandbox)
  })

  it('in an encrypted sandbox it waits for the key, and stores no plaintext', async () => {
    const key = randomBytes(32)
    const { ask, job, hurry, sandbox, userId } = await begin((call) => withKey(call, key), {})
    await hurry()
    await app.cairn.close()
    await open()
    await expect.poll(job, SOON).toMatchObject({ error_message: expect.stringMatching(/Waits for the sandbox/) })
    const place = join(folder, 'knowledge', userId, sandbox.id)
    for (const word of ['Pelagic', '17.md']) expect(filesContaining(place, word), word).toEqual([])
    expect(await uploads(userId)).toMatchObject([{ state: 'stored', key_box: expect.any(Buffer) }])
    await withKey(ask, key)('POST', `${sandbox.query}/search`, { query: 'Which barge left?' })
    await expect.poll(job, SOON).toMatchObject({ status: 'completed', result: WHOLE, error_message: null })
    await isClean(userId, sandbox)
  })

  it('purging its source or deleting its sandbox cancels an import and erases the upload', async () => {
    const { ask, job, sandbox, userId } = await begin()
    const [{ source_id: sourceId } = { source_id: '' }] = await uploads(userId)
    const purged = await ask('POST', `${sandbox.storage}/sources/${sourceId}/purge`)
    expect(purged.status).toBe(200)
    expect(await job()).toMatchObject({ status: 'cancelled' })
    await isClean(userId, sandbox)
    expect(await countIn(ask, sandbox)).toBeUndefined()

    const other = await begin()
    expect((await other.ask('DELETE', `/api/v1/storage/sandboxes/${other.sandbox.id}`)).status).toBe(200)
    await isClean(other.userId, other.sandbox)
  })

  it('an import with a lost upload fails, and says what to do', async () => {
    const { job, sandbox, userId } = await begin()
    const store = await app.cairn.app.knowledge.store({ userId, sandboxId: sandbox.id })
    await store.removeSegments('imports', () => true)
    await clearUploadLeases(app.cairn.app)
    const lost = { status: 'failed', error_message: expect.stringMatching(/send the whole upload again/), result: FAR }
    await expect.poll(job, SOON).toMatchObject(lost)
    await isClean(userId, sandbox)
  })

  it('a table counts its records before they are written, and each counts against the limits', async () => {
    const { call } = await app.newAccount()
    const rows = Array.from({ length: ALL - 1 }, (_, at) => `Barge ${at},${at}\n`)
    const send = async (tier: string) => {
      const { storage } = await newSandbox(call, tier, tier)
      const table = `Barge,Length\n${rows.join('')}`
      const { body } = await call('POST', `${storage}/import?path=barges.csv`, table, { 'content-type': 'text/csv' })
      return async () => (await call('GET', body.status_url)).body.result
    }
    const slowed = await send('free')
    await expect.poll(slowed, SOON).toMatchObject({ expected: ALL, written: CHUNK_RECORDS })
    const full = await send('pro')
    await expect.poll(full, SOON).toMatchObject({ written: 2 * CHUNK_RECORDS, failed: CHUNK_RECORDS })
    expect((await full()).errors[0]).toMatchObject({ reason: 'quota_exceeded' })
  })
})

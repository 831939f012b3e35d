import { expect, it, vi } from 'vitest'
import { closeCutJobs } from '../../packages/server/src/ingest/delivery-jobs.ts'
import { newSandbox, onEachApp } from '../harness/test-app.ts'
import { zipOf } from '../harness/zip.ts'

/** As many as are stored at once. */
const CHUNK_RECORDS = 500
const RATE = { ingest_records_per_minute: CHUNK_RECORDS, max_records: null, max_storage_bytes: null }
const FEW = { ...RATE, ingest_records_per_minute: null, max_records: 2 * CHUNK_RECORDS }
const SOON = { timeout: 60_000, interval: 100 }

const notes = zipOf(
  Array.from({ length: 3 * CHUNK_RECORDS }, (_, at) => ({ name: `${at}.md`, content: `# Barge ${at}\n\nIt left.` })),
)

onEachApp(
  (app) => {
    vi.setConfig({ testTimeout: 120_000 })

    it('an upload that takes long is accepted, tells how far it is, and fails when the service ends', async () => {
      const { call, userId } = await app().newAccount()
      const sandbox = await newSandbox(call, 'Slowed', 'free')
      // The rate of the sandbox lets one chunk in, and then nothing for a minute.
      const headers = { 'content-type': 'application/zip', 'idempotency-key': 'once' }
      const { status, body } = await call('POST', `${sandbox.storage}/import`, notes, headers)
      expect([status, body.status]).toEqual([202, 'queued'])
      const job = async () => (await call('GET', body.status_url)).body
      const far = { received: CHUNK_RECORDS, written: CHUNK_RECORDS, failed: 0 }
      await expect.poll(job, SOON).toMatchObject({ status: 'processing', result: far, error_message: null })
      const kept = await app().cairn.app.sql.transact(userId, (tx) =>
        tx.selectFrom('idempotency').select(['status', 'body']).executeTakeFirst(),
      )
      expect([kept?.status, JSON.parse(String(kept?.body))]).toEqual([202, body])

      await closeCutJobs(app().cairn.app)
      expect(await job()).toMatchObject({
        status: 'failed',
        result: far,
        error_message: expect.stringMatching(/send the whole of it again/),
        completed_at: expect.any(String),
      })
      const exported = String((await call('GET', `${sandbox.storage}/export`)).body)
      expect(exported.match(/"kind":"record"/g)).toHaveLength(CHUNK_RECORDS)
    })

    it('a table tells how many records it comes to before they are written, and each counts', async () => {
      const { call } = await app().newAccount()
      const rows = Array.from({ length: 3 * CHUNK_RECORDS - 1 }, (_, at) => `Barge ${at},${at}\n`)
      const send = async (tier: string) => {
        const { storage } = await newSandbox(call, tier, tier)
        const table = `Barge,Length\n${rows.join('')}`
        const { body } = await call('POST', `${storage}/import?path=barges.csv`, table, { 'content-type': 'text/csv' })
        return async () => (await call('GET', body.status_url)).body.result
      }
      const slowed = await send('free')
      await expect.poll(slowed, SOON).toMatchObject({ expected: 3 * CHUNK_RECORDS, written: CHUNK_RECORDS })
      await closeCutJobs(app().cairn.app)
      const full = await send('pro')
      await expect.poll(full, SOON).toMatchObject({ written: 2 * CHUNK_RECORDS, failed: CHUNK_RECORDS })
      expect((await full()).errors[0]).toMatchObject({ reason: 'quota_exceeded' })
    })
  },
  { CAIRN_LIMITS: JSON.stringify({ free: RATE, pro: FEW }) },
)

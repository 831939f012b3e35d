import { expect, it, vi } from 'vitest'
import { closeCutJobs } from '../../packages/server/src/ingest/close-cut-jobs.ts'
import { newSandbox, onEachApp } from '../harness/test-app.ts'
import { zipOf } from '../harness/zip.ts'

/** As many as are stored at once. */
const CHUNK_RECORDS = 500
const RATE = { ingest_records_per_minute: CHUNK_RECORDS, max_records: null, max_storage_bytes: null }
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
  },
  { CAIRN_LIMITS: JSON.stringify({ free: RATE }) },
)

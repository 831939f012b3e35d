import { expect, it } from 'vitest'
import { callOver, openSender, startProcess } from '../../harness/real-process.ts'
import { newSandbox } from '../../harness/test-app.ts'
import { zipOf } from '../../harness/zip.ts'

/** Number of records stored per chunk. */
const CHUNK_RECORDS = 500
const RATE = { ingest_records_per_minute: CHUNK_RECORDS, max_records: null, max_storage_bytes: null }
const FREELY = { ...RATE, ingest_records_per_minute: null }
const ALL = 2 * CHUNK_RECORDS
const SOON = { interval: 200 }

it('an accepted import continues after its process is killed, and stores every record once', async () => {
  const limits = { CAIRN_LIMITS: JSON.stringify({ free: RATE, enterprise: FREELY }) }
  const first = await startProcess(limits)
  const before = openSender(first, 4)
  const sandbox = await newSandbox(callOver(before.send), 'Slowed', 'free')
  const notes = Array.from({ length: ALL }, (_, at) => ({ name: `${at}.md`, content: `Barge ${at} left.` }))
  const reply = await fetch(`${first.url}${sandbox.storage}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.apiKey}`, 'content-type': 'application/zip' },
    body: zipOf(notes),
  })
  expect(reply.status).toBe(202)
  const { status_url: status } = (await reply.json()) as { status_url: string }
  const jobBy = (send: typeof before.send) => async () => (await callOver(send)('GET', status)).body
  await expect
    .poll(jobBy(before.send), SOON)
    .toMatchObject({ status: 'processing', result: { written: CHUNK_RECORDS } })
  await first.kill()
  before.close()

  const second = await startProcess(limits, { folder: first.folder, apiKey: first.apiKey })
  const after = openSender(second, 4)
  const call = callOver(after.send)
  expect((await call('PATCH', `/api/v1/admin/sandboxes/${sandbox.id}`, { tier: 'enterprise' })).status).toBe(200)
  await expect.poll(jobBy(after.send), SOON).toMatchObject({ status: 'completed', result: { written: ALL, failed: 0 } })
  const exported = String((await call('GET', `${sandbox.storage}/export`)).body)
  expect(exported.match(/"kind":"record"/g)).toHaveLength(ALL)
  after.close()
  await second.stop()
})

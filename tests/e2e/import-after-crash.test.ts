import { expect, it } from 'vitest'
import { callOver, openSender, startProcess } from '../harness/real-process.ts'
import { newSandbox } from '../harness/test-app.ts'
import { zipOf } from '../harness/zip.ts'

/** As many as are stored at once. */
const CHUNK_RECORDS = 500
const RATE = { ingest_records_per_minute: CHUNK_RECORDS, max_records: null, max_storage_bytes: null }
const SOON = { interval: 200 }

it('an upload that is read when the process is killed has failed, and what it brought is there', async () => {
  const start = (before?: { folder: string; apiKey: string }) =>
    startProcess({ CAIRN_LIMITS: JSON.stringify({ free: RATE, enterprise: RATE }) }, before) as ReturnType<
      typeof startProcess
    > &
      Promise<{ folder: string }>
  const first = await start()
  const before = openSender(first, 4)
  const sandbox = await newSandbox(callOver(before.send), 'Slowed', 'free')
  const notes = Array.from({ length: 2 * CHUNK_RECORDS }, (_, at) => ({
    name: `${at}.md`,
    content: `Barge ${at} left.`,
  }))
  const reply = await fetch(`${first.url}${sandbox.storage}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.apiKey}`, 'content-type': 'application/zip' },
    body: zipOf(notes),
  })
  expect(reply.status).toBe(202)
  const { status_url: status } = (await reply.json()) as { status_url: string }
  const far = { received: CHUNK_RECORDS, written: CHUNK_RECORDS, failed: 0 }
  const jobBy = (send: typeof before.send) => async () => (await callOver(send)('GET', status)).body
  await expect.poll(jobBy(before.send), SOON).toMatchObject({ status: 'processing', result: far })
  await first.kill()
  before.close()

  const second = await start({ folder: first.folder, apiKey: first.apiKey })
  const after = openSender(second, 4)
  expect(await jobBy(after.send)()).toMatchObject({
    status: 'failed',
    result: far,
    error_message: expect.stringMatching(/send the whole of it again/),
  })
  const exported = String((await callOver(after.send)('GET', `${sandbox.storage}/export`)).body)
  expect(exported.match(/"kind":"record"/g)).toHaveLength(CHUNK_RECORDS)
  after.close()
  await second.stop()
})

import { afterAll, expect, it } from 'vitest'
import { BUCKET, openObjectStore } from '../../harness/object-store.ts'
import { newSandbox, onEachApp, putRecords } from '../../harness/test-app.ts'

const PATIENT = { interval: 200 }
const NEIGHBOURS = 3

const store = await openObjectStore()
afterAll(() => store.close())

onEachApp(
  (app) => {
    it('a sandbox with unavailable objects blocks no other, and recovers', async () => {
      const { call } = await app().newAccount()
      const [sick, well] = [await newSandbox(call, 'Sick'), await newSandbox(call, 'Well')]
      const note = (id: string) => ({ external_id: id, type: 'note', text: `About ${id}.` })
      for (const sandbox of [sick, well]) await putRecords(call, sandbox, [note('first')])
      store.silentFor = sick.id
      const sent = await call('POST', sick.records, { records: [note('waits')] })
      expect(sent.status).toBe(202)
      const failures = () => app().logged.filter((line) => line.includes('failed') && line.includes(sick.id))
      /** Applies a neighbor's record, and returns whether a request to the silent store was pending all the time. */
      const commitsMeanwhile = async (id: string) => {
        await expect.poll(() => store.unanswered.size, PATIENT).toBeGreaterThan(0)
        const pending = [...store.unanswered]
        await putRecords(call, well, [note(id)])
        return pending.some((request) => store.unanswered.has(request))
      }
      let meanwhile = 0
      for (let commit = 0; meanwhile < NEIGHBOURS; commit += 1)
        meanwhile += Number(await commitsMeanwhile(`n${commit}`))
      await expect.poll(() => failures(), PATIENT).not.toEqual([])
      store.silentFor = undefined
      const job = `${sick.storage}/ingest/${sent.body.job_id}`
      await expect.poll(async () => (await call('GET', job)).body.status, PATIENT).toBe('completed')
      await putRecords(call, sick, [note('after')])
    })
  },
  {
    STORAGE_URL: `s3://${BUCKET}/platform`,
    S3_ENDPOINT: store.endpoint,
    AWS_ACCESS_KEY_ID: 'test-access',
    AWS_SECRET_ACCESS_KEY: 'test-secret',
  },
)

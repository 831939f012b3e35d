import { afterAll, expect, it, vi } from 'vitest'
import { BUCKET, openObjectStore } from '../harness/object-store.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

/** Longer than a commit is waited for at a store that says nothing. */
const PATIENT = { timeout: 90_000, interval: 200 }
/** Long enough that the one that is not answered is being waited for all the while. */
const NEIGHBOUR_MS = 15_000
/** A ninth of what its first try takes. */
const COMMIT_MS_MAX = 5_000
const RUN_MS_MAX = 300_000

const store = await openObjectStore()
afterAll(() => store.close())

onEachApp(
  (app) => {
    it(
      'a sandbox whose objects are not given keeps nobody else waiting, and recovers',
      async () => {
        const { call } = await app().newAccount()
        const [sick, well] = [await newSandbox(call, 'Sick'), await newSandbox(call, 'Well')]
        const note = (id: string) => ({ external_id: id, type: 'note', text: `About ${id}.` })
        for (const sandbox of [sick, well]) await putRecords(call, sandbox, [note('first')])
        store.silentFor = sick.id
        const sent = await call('POST', sick.records, { records: [note('waits')] })
        expect(sent.status).toBe(202)
        const from = performance.now()
        const waited: number[] = []
        while (performance.now() - from < NEIGHBOUR_MS) {
          const before = performance.now()
          await putRecords(call, well, [note(`n${waited.length}`)])
          waited.push(performance.now() - before)
        }
        expect(Math.max(...waited)).toBeLessThan(COMMIT_MS_MAX)
        const failures = () => app().logged.filter((line) => line.includes('failed') && line.includes(sick.id))
        await vi.waitFor(() => expect(failures()).not.toEqual([]), PATIENT)
        store.silentFor = undefined
        const job = `${sick.storage}/ingest/${sent.body.job_id}`
        await vi.waitFor(async () => expect((await call('GET', job)).body.status).toBe('completed'), PATIENT)
        await putRecords(call, sick, [note('after')])
      },
      RUN_MS_MAX,
    )
  },
  {
    STORAGE_URL: `s3://${BUCKET}/platform`,
    S3_ENDPOINT: store.endpoint,
    AWS_ACCESS_KEY_ID: 'test-access',
    AWS_SECRET_ACCESS_KEY: 'test-secret',
  },
)

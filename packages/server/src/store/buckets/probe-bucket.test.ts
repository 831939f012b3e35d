import { afterAll, beforeAll, expect, it } from 'vitest'
import { BUCKET, type ObjectStore, openObjectStore, type StoreMode } from '../../../../../tests/harness/object-store.ts'
import { probeBucket } from './probe-bucket.ts'

let store: ObjectStore
beforeAll(async () => {
  store = await openObjectStore()
})
afterAll(() => store.close())

const probe = (more: { accessKeyId?: string; bucket?: string; endpoint?: string } = {}) => {
  const { accessKeyId = store.accessKeyId, bucket = BUCKET, endpoint = store.endpoint } = more
  const place = { bucket, region: 'us-east-1', endpoint, prefix: 'some/where' }
  return probeBucket({ place, access: { accessKeyId, secretAccessKey: 'secret' } }, fetch)
}

it('a store that behaves like S3 passes, and no probe object is left in it', async () => {
  store.mode = 'good'
  await probe()
  expect([...store.objects.keys()]).toEqual([])
})

const FAILING: [StoreMode, string, string][] = [
  ['read-only', 'put', '403 (AccessDenied)'],
  ['altering', 'get', 'other bytes'],
  ['whole', 'range', 'part'],
  ['unlisted', 'list', 'does not list'],
  ['liar', 'conditional put', 'If-None-Match'],
  ['racy', 'conditional put', 'more than one'],
  ['undeletable', 'delete', 'keeps'],
  ['forbidden', 'put', '403 (AccessDenied)'],
  ['broken', 'put', '500 (InternalError)'],
]

it.each(FAILING)('a store that is %s fails at the step “%s”', async (mode, step, why) => {
  store.mode = mode
  store.objects.clear()
  const failure = { reason: 'storage_unfit', detail: expect.stringMatching(`“${step}” failed: .*`) }
  const failed = await probe().catch((error: unknown) => error)
  expect(failed).toMatchObject(failure)
  expect((failed as { detail: string }).detail).toContain(why)
  if (mode !== 'undeletable') expect([...store.objects.keys()]).toEqual([])
})

it('a wrong key, a missing bucket and an unreachable store fail at the first step', async () => {
  store.mode = 'good'
  for (const wrong of [{ accessKeyId: 'other' }, { bucket: 'none-such' }, { endpoint: 'http://127.0.0.1:9' }]) {
    await expect(probe(wrong)).rejects.toMatchObject({ detail: expect.stringContaining('“put”') })
  }
})

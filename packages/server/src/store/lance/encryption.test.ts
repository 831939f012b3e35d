import { expect, it } from 'vitest'
import { BUCKET, openObjectStore } from '../../../../../tests/harness/object-store.ts'
import { toConfig } from '../../config/config.ts'
import { EMPTY_HEAD } from '../../db/head.ts'
import { probeStorage } from './probe-storage.ts'
import { idOfStorage } from './storage-id.ts'
import { LanceStores } from './stores.ts'

const KEY = 'arn:aws:kms:eu-1:1:key/one'
/** More than fits in one request, so the object is uploaded in parts. */
const LARGE_BYTES = 12 * 2 ** 20

it('every object in the platform’s bucket is encrypted with the configured key', async () => {
  const store = await openObjectStore()
  const env = {
    STORAGE_URL: `s3://${BUCKET}/k`,
    S3_ENDPOINT: store.endpoint,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'secret',
  }
  const rootOf = (more = {}) => {
    const { root, options } = toConfig({ ...env, ...more }).storage
    return { uri: root, options }
  }
  const record = (id: string, content: Uint8Array) => ({
    ...{ id, live: true, sourceId: null, projectId: null, type: 'note', occurredAtMs: null },
    ...{ externalKey: 1, tie: 1, content, analysis: new Uint8Array() },
  })
  store.kmsKeyId = KEY
  await expect(idOfStorage(rootOf())).rejects.toThrow('403')
  const root = rootOf({ S3_KMS_KEY_ID: KEY })
  await idOfStorage(root)
  await probeStorage(root, 'sbx_probe')
  const stores = new LanceStores(root)
  const sandbox = stores.open('usr_1', 'sbx_1')
  const large = Uint8Array.from({ length: LARGE_BYTES }, () => Math.floor(Math.random() * 256))
  const head = await sandbox.commit(EMPTY_HEAD, { records: [record('one', large)], entities: [], links: [] })
  await sandbox.commit(head, { records: [record('two', new Uint8Array([1]))], entities: [], links: [] })
  await sandbox.writeSegment('graph', 'piece', new Uint8Array([1]))
  expect([...store.objects.keys()].some((key) => key.endsWith('/graph/piece'))).toBe(true)
  stores.close()
  await store.close()
})

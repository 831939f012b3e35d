import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BUCKET, type ObjectStore, openObjectStore } from '../../harness/object-store.ts'
import { callOver, openSender, startProcess } from '../../harness/real-process.ts'
import { newSandbox, putRecords } from '../../harness/test-app.ts'

const LIFETIME_MS = 3_600_000

let store: ObjectStore
let platform: Server
let env: Record<string, string>

beforeEach(async () => {
  store = await openObjectStore()
  store.accessKeyId = 'key-of-the-role'
  store.kmsKeyId = 'alias/knowledge'
  platform = createServer(({ url, headers }, reply) => {
    if (url !== '/role' || headers.authorization !== 'of-the-pod') return reply.writeHead(404).end()
    const expires = new Date(Date.now() + LIFETIME_MS).toISOString()
    const keys = { AccessKeyId: store.accessKeyId, SecretAccessKey: 'secret', Token: 'token', Expiration: expires }
    return reply.end(JSON.stringify(keys))
  })
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve))
  env = {
    CAIRN_ENCODER: 'off',
    STORAGE_URL: `s3://${BUCKET}/k`,
    S3_ENDPOINT: store.endpoint,
    S3_KMS_KEY_ID: store.kmsKeyId,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${(platform.address() as AddressInfo).port}/role`,
  }
})
afterEach(async () => {
  await new Promise((resolve) => platform.close(resolve))
  await store.close()
})

it('a process without keys stores encrypted objects by its role, and does not start without one', async () => {
  await expect(startProcess(env)).rejects.toThrow(/ended with 1/)
  const cairn = await startProcess({ ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'of-the-pod' })
  const { send, close } = openSender(cairn, 2)
  const call = callOver(send)
  const sandbox = await newSandbox(call, 'Of a role')
  await putRecords(call, sandbox, [{ external_id: 'one', type: 'note', text: 'Harbour launches on 17 August.' }])
  expect((await call('POST', `${sandbox.query}/discover`, { query: 'Harbour' })).body.count).toBe(1)
  expect([...store.objects.keys()].some((key) => key.includes(sandbox.id))).toBe(true)
  close()
  await cairn.stop()
})

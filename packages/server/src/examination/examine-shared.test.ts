import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { toConfig } from '../config/config.ts'
import { storeFindings } from './examine-shared.ts'

it('reports a bucket that ends its response early as a problem of the store', async () => {
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'content-length': '100' }).write('part', () => reply.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const config = toConfig({
    STORAGE_URL: 's3://bucket/prefix',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
  const [finding] = await storeFindings(config)
  expect(finding).toMatchObject({ about: 'store', isGood: false })
  expect(finding?.sentence).toContain('does not answer')
  server.close()
})

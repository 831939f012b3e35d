import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countObjects } from './s3.ts'

const KEYS = Array.from({ length: 7 }, (_, n) => `root/acct_1/sbx_1/records.lance/data/${n}.lance`)
const PAGE_KEYS = 3

/** A store that lists in pages of three and accepts only signed requests. */
const store = createServer((request, reply) => {
  const url = new URL(request.url ?? '', 'http://store')
  const isSigned = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=me/') === true
  if (!isSigned || url.pathname !== '/bucket') return void reply.writeHead(403).end()
  const keys = KEYS.filter((key) => key.startsWith(url.searchParams.get('prefix') ?? '-'))
  const from = Number(url.searchParams.get('continuation-token')?.replace('a&b=', '') ?? 0)
  const page = keys.slice(from, from + PAGE_KEYS)
  const next =
    from + PAGE_KEYS < keys.length ? `<NextContinuationToken>a&amp;b=${from + PAGE_KEYS}</NextContinuationToken>` : ''
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
  reply.end(`<ListBucketResult>${contents}${next}</ListBucketResult>`)
})

let endpoint: string
beforeAll(async () => {
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => store.close(resolve)))

const folderOf = (uri: string, accessKeyId = 'me') => ({
  sandboxId: 'sbx_1',
  uri,
  fetch,
  localPaths: [],
  options: { endpoint, region: 'eu-1', accessKeyId, secretAccessKey: 'secret' },
})

test('the objects of a sandbox are counted over all pages of the list', async () => {
  expect(await countObjects(folderOf('s3://bucket/root/acct_1/sbx_1'), '')).toBe(KEYS.length)
  expect(await countObjects(folderOf('s3://bucket/root/acct_1/sbx_1'), 'links.lance/')).toBe(0)
  expect(await countObjects(folderOf('s3://bucket/root/acct_1/sbx_2'), '')).toBe(0)
})

test('a store that rejects the request is an error, not a count of zero', async () => {
  await expect(countObjects(folderOf('s3://bucket/root/acct_1/sbx_1', 'other'), '')).rejects.toThrow('403')
})

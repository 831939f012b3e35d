import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { examine } from './examine.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-examine-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('checks the default port of the endpoint’s scheme, and accepts IPv6 addresses', async () => {
  const env = {
    CAIRN_DATA: folder,
    CAIRN_PORT: '0',
    CAIRN_MASTER_KEY: Buffer.alloc(32).toString('base64'),
    DATABASE_URL: 'postgres://[::1]:1/none',
    STORAGE_URL: 's3://bucket/prefix',
    S3_ENDPOINT: 'http://127.0.0.1',
  }
  const findings = await examine({ env, names: [], loadEngines: async () => undefined })
  const sentenceOf = (about: string) => findings.find((each) => each.about === about)?.sentence
  expect(sentenceOf('store')).toContain('127.0.0.1:80 (')
  expect(sentenceOf('database')).toContain('[::1]:1 (')
  expect(sentenceOf('database')).not.toMatch(/ENOTFOUND|EAI_AGAIN/)
})

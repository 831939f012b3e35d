import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql, type Sql } from '../../../packages/server/src/db/open.ts'
import { locationsOf } from '../../harness/at-rest.ts'
import { withKey } from '../../harness/keyed.ts'
import { newDatabase, RUN_ON, type TestDatabase } from '../../harness/postgres.ts'
import { type Call, newSandbox, openTestApp, type TestAccount, type TestApp } from '../../harness/test-app.ts'

const RUN_MS_MAX = 120_000
const WAIT = { prefer: 'wait=60' }
/** Polling interval; deleted bytes must be gone within a minute. */
const MINUTE = { interval: 500 }

const said = (word: string) => ({
  external_id: `id of ${word}`,
  type: 'message',
  text: `The ${word} came in.`,
  author: { name: `Ann ${word}`, identifiers: { email: `${word}@example.org` } },
  relations: [{ subject: `Ann ${word}`, predicate: 'works_at', object: 'Depot' }],
  entities: [{ type: 'place', name: 'Depot' }],
})

describe.each(RUN_ON)('a record that a person deleted, on %s', (kind) => {
  let database: TestDatabase
  let sql: Sql
  let folder: string
  let app: TestApp
  let account: TestAccount

  const open = () => openTestApp(sql, kind, { CAIRN_DATA: folder })
  beforeAll(async () => {
    database = await newDatabase(kind)
    sql = await openSql(database.target)
    folder = mkdtempSync(join(tmpdir(), 'cairn-deleted-'))
    app = await open()
    account = await app.newAccount()
  })
  afterAll(async () => {
    await app?.cairn.close()
    await sql?.close()
    database?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Calls the current app, also after it was reopened. */
  const call: Call = (method, path, body, headers) =>
    app.anonymous(method, path, body, { authorization: `Bearer ${account.key}`, ...headers })
  const rest = () => ({ app, folder, database, userId: account.userId })
  const start = async (by: Call, words: string[]) => {
    const sandbox = await newSandbox(by, `Of ${words.length}`)
    const put = async (word: string) => (await by('POST', sandbox.records, { records: [said(word)] }, WAIT)).body.result
    for (const word of words) await put(word)
    const ids = async (reading = by): Promise<string[]> => {
      const { body } = await reading('GET', `${sandbox.storage}/records`)
      return body.records.map(({ external_id: id }: { external_id: string }) => id)
    }
    const remove = async (word: string) => {
      const { body } = await by('GET', `${sandbox.storage}/records`)
      const found = body.records.find((each: { external_id: string }) => each.external_id === `id of ${word}`)
      return by('DELETE', `${sandbox.storage}/records/${found.record_id}`)
    }
    return { sandbox, put, ids, remove }
  }

  it(
    'leaves no byte, and stays deleted after a restart',
    async () => {
      const { put, ids, remove } = await start(call, ['zqgonezq', 'zqalsozq', 'zqkeptzq'])
      expect((await remove('zqgonezq')).status).toBe(200)
      expect((await remove('zqalsozq')).status).toBe(200)
      for (const word of ['zqgonezq', 'zqalsozq']) {
        await expect.poll(() => locationsOf(rest(), word), MINUTE).toEqual([])
      }
      expect(await locationsOf(rest(), 'zqkeptzq')).not.toEqual([])
      await app.cairn.close()
      app = await open()
      expect(await put('zqgonezq')).toMatchObject({ written: 0, unchanged: 1 })
      expect(await ids()).toEqual(['id of zqkeptzq'])
      await expect.poll(() => locationsOf(rest(), 'zqgonezq'), MINUTE).toEqual([])
    },
    RUN_MS_MAX,
  )

  it(
    'stays deleted under another key of its caller',
    async () => {
      const [key, next] = [randomBytes(32), randomBytes(32)]
      const { sandbox, put, ids, remove } = await start(withKey(call, key), ['zqonezq', 'zqtwozq'])
      expect((await remove('zqonezq')).status).toBe(200)
      expect(await put('zqonezq')).toMatchObject({ written: 0, unchanged: 1 })
      const change = { 'x-encryption-key': key.toString('base64'), 'x-new-encryption-key': next.toString('base64') }
      expect((await call('POST', `${sandbox.storage}/rotate-key`, undefined, change)).status).toBe(200)
      const by = withKey(call, next)
      const { body } = await by('POST', sandbox.records, { records: [said('zqonezq')] }, WAIT)
      expect(body.result).toMatchObject({ written: 0, unchanged: 1 })
      expect(await ids(by)).toEqual(['id of zqtwozq'])
    },
    RUN_MS_MAX,
  )
})

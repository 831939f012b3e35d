import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Env } from '../../../packages/server/src/config/env.ts'
import { openSql, type Sql } from '../../../packages/server/src/db/open.ts'
import { BUCKET, type ObjectStore, openObjectStore } from '../../harness/object-store.ts'
import { newDatabase } from '../../harness/postgres.ts'
import { openTestApp } from '../../harness/test-app.ts'

const RUN_MS_MAX = 120_000

let place: string
let store: ObjectStore
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'cairn-storage-'))
  store = await openObjectStore()
})
afterAll(async () => {
  await store.close()
  rmSync(place, { recursive: true, force: true })
})

const folderOf = (name: string) => join(place, name)
const idFile = (name: string) => join(folderOf(name), 'knowledge', 'storage-id')
const serve = async (sql: Sql, name: string, more: Env = {}) => {
  const app = await openTestApp(sql, 'postgres', { CAIRN_DATA: folderOf(name), ...more })
  await app.cairn.close()
}

/** Runs `work` on a new database. */
const onDatabase = async (work: (sql: Sql) => Promise<void>) => {
  const { target } = await newDatabase('postgres')
  const sql = await openSql(target)
  await work(sql).finally(() => sql.close())
}

it(
  'a second data folder on one database is rejected at start, with instructions to replace the first',
  async () => {
    await onDatabase(async (sql) => {
      await serve(sql, 'first')
      const id = readFileSync(idFile('first'), 'utf8').trim()
      const refused = serve(sql, 'second')
      await expect(refused).rejects.toThrow(new RegExp(`another storage .* ${id}, .*STORAGE_URL.* write ${id} to `))
      await expect(refused).rejects.toThrow(idFile('second'))
      cpSync(folderOf('first'), folderOf('moved'), { recursive: true })
      await serve(sql, 'moved')
      writeFileSync(idFile('second'), `${id}\n`)
      await serve(sql, 'second')
    })
  },
  RUN_MS_MAX,
)

it(
  'processes with data folders of their own share a bucket, and another one is refused',
  async () => {
    const bucket = (prefix: string): Env => ({
      STORAGE_URL: `s3://${BUCKET}/${prefix}`,
      S3_ENDPOINT: store.endpoint,
      AWS_ACCESS_KEY_ID: 'test-access',
      AWS_SECRET_ACCESS_KEY: 'test-secret',
    })
    await onDatabase(async (sql) => {
      await serve(sql, 'node-1', bucket('shared'))
      await serve(sql, 'node-2', bucket('shared'))
      const id = store.objects.get('shared/storage-id')
      await expect(serve(sql, 'node-3', bucket('other'))).rejects.toThrow(`s3://${BUCKET}/other/storage-id`)
      await expect(serve(sql, 'node-3')).rejects.toThrow(/STORAGE_URL/)
      store.objects.set('other/storage-id', id!)
      await serve(sql, 'node-3', bucket('other'))
    })
  },
  RUN_MS_MAX,
)

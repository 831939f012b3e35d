import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDatabase, type TestDatabase } from '../../../../tests/harness/postgres.ts'
import { DurableFolder } from './durable-folder.js'

const FSYNC_ON = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F')

let database: TestDatabase
let files: DurableFolder
let db: PGlite
let folder: string
/** The files synced together, and the control file at that time. */
let together: { paths: string[]; control: Buffer }[] = []

const controlFile = () => readFileSync(join(folder, 'global/pg_control'))

beforeAll(async () => {
  database = await newDatabase('pglite')
  folder = (database.target as { folder: string }).folder
  const throwCause = (cause: Error) => {
    throw cause
  }
  files = new DurableFolder(folder, throwCause, (paths) => together.push({ paths, control: controlFile() }))
  db = await PGlite.create({ fs: files, startParams: [...FSYNC_ON, '-c', 'wal_sync_method=fsync'] })
  await db.exec('create table note (text text)')
})

afterAll(async () => {
  await db.close()
  database.remove()
})

/** Runs a statement to its end, as the thread does with a message. */
function run(statement: string): void {
  const text = Buffer.from(`${statement}\0`)
  const message = Buffer.alloc(5 + text.length)
  message.write('Q')
  message.writeInt32BE(4 + text.length, 1)
  text.copy(message, 5)
  void db.execProtocolRawStream(message, { syncToFs: false, onRawData: () => undefined })
}

test('a commit with deferred sync is pending until it is synced', async () => {
  expect(files.deferSyncs(() => run("insert into note values ('one')"))).toBe(true)
  await files.syncDeferred()
  expect(files.deferSyncs(() => run('select count(*) from note'))).toBe(false)
})

test('a commit with immediate sync is not pending', () => {
  run("insert into note values ('two')")
  expect(files.deferSyncs(() => run('select 1'))).toBe(false)
})

test('a reader after a commit waits for the same sync as the commit', async () => {
  files.deferSyncs(() => run("insert into note values ('three')"))
  expect(files.deferSyncs(() => run('select 1'))).toBe(true)
  await files.syncDeferred()
})

test('a commit during the sync of an earlier one is still pending afterwards', async () => {
  files.deferSyncs(() => run("insert into note values ('four')"))
  const syncing = files.syncDeferred()
  files.deferSyncs(() => run("insert into note values ('five')"))
  await syncing
  expect(files.deferSyncs(() => run('select 1'))).toBe(true)
  await files.syncDeferred()
  expect(files.deferSyncs(() => run('select 1'))).toBe(false)
})

test('no page is written while a commit is pending: the sync comes first', () => {
  files.deferSyncs(() => run("insert into note values ('six')"))
  run('checkpoint')
  expect(files.deferSyncs(() => run('select 1'))).toBe(false)
})

test('a checkpoint syncs tables together, before the control file records it', () => {
  run("insert into note values ('seven')")
  together = []
  const before = controlFile()
  files.syncTogether(() => run('checkpoint'))
  expect(together).toHaveLength(1)
  expect(together[0]?.paths).toContainEqual(expect.stringMatching(/\/base\/\d+\/\d+$/))
  expect(together[0]?.control).toEqual(before)
  expect(controlFile()).not.toEqual(before)
})

test('the number of filled log segments is reported', () => {
  const before = files.segmentsBegun
  run('select pg_switch_wal()')
  run("insert into note select repeat('x', 1000) from generate_series(1, 20000)")
  expect(files.segmentsBegun).toBeGreaterThan(before)
})

test('log segments that a checkpoint recycles are not counted as started', () => {
  for (let filled = 0; filled < 4; filled++) {
    run('select pg_switch_wal()')
    run(`insert into note values ('${filled}')`)
  }
  const before = files.segmentsBegun
  files.syncTogether(() => run('checkpoint'))
  expect(files.segmentsBegun).toBe(before)
  run("insert into note values ('after')")
  expect(files.segmentsBegun).toBe(before)
})

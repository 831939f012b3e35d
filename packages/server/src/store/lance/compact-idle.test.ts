import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onFreshStore } from '../../../../../tests/harness/lance-store.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import type { RecordRow, SandboxStore } from '../port.ts'
import { LanceStores } from './stores.ts'

let folder: string
let store: SandboxStore

onFreshStore((fresh) => {
  folder = fresh.folder
  store = fresh.store
})

const bytes = (text: string) => new TextEncoder().encode(text)

function record(id: string, content = `content of ${id}`): RecordRow {
  const row = {
    id,
    live: true,
    sourceId: null,
    projectId: null,
    type: 'note',
    occurredAtMs: null,
    externalKey: 1,
    tie: 1,
  }
  return { ...row, content: bytes(content), analysis: bytes('a') }
}

function commit(head: Head, records: RecordRow[]): Promise<Head> {
  return store.commit(head, { records, entities: [], links: [] })
}

/** Returns what a process that has not written sees. */
async function contents(head: Head): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const other = new LanceStores({ uri: folder }).open('usr_1', 'sbx_1')
  for await (const rows of other.scanRecords(head, { batchRows: 100 })) {
    for (const row of rows) found[row.id] = new TextDecoder().decode(row.content)
  }
  return found
}

async function rowNumbers(head: Head): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for await (const batch of store.readSince(head, 0)) {
    for (let i = 0; i < batch.count; i++) found[batch.ids[i]!] = batch.rows[i]!
  }
  return found
}

const dataFiles = () => readdirSync(join(folder, 'usr_1', 'sbx_1', 'records.lance', 'data')).sort()
const AT_REST = { retainMs: 0, clockSlackMs: 0 } as const

test('when idle, small fragments are merged with each other, and a large one is unchanged', async () => {
  const many = Array.from({ length: 400 }, (_, at) => record(`rec_${at}`))
  let head = await store.compact(await commit(EMPTY_HEAD, many), { ...AT_REST, idle: 'begun' })
  const [large] = dataFiles()
  for (let i = 0; i < 8; i++) head = await commit(head, [record(`rec_${i}`, `again ${i}`)])
  const before = await contents(head)
  const numbers = await rowNumbers(head)
  for (const rest of ['begun', 'lasting'] as const) head = await store.compact(head, { ...AT_REST, idle: rest })
  expect(dataFiles()).toContain(large)
  expect(await contents(head)).toEqual(before)
  expect(await rowNumbers(head)).toEqual(numbers)
})

test('after a longer idle time, a dataset with many old versions has one file', async () => {
  let head = EMPTY_HEAD
  for (let i = 0; i < 40; i++) head = await commit(head, [record(`rec_${i}`), record('rec_0', `${i}`)])
  const before = await contents(head)
  for (const rest of ['begun', 'lasting'] as const) head = await store.compact(head, { ...AT_REST, idle: rest })
  expect(dataFiles()).toHaveLength(1)
  expect(await contents(head)).toEqual(before)
})

test('when idle, a dataset with a third of its rows deleted is rewritten, however few fragments it has', async () => {
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, at) => record(`rec_${from + at}`))
  let head = await commit(EMPTY_HEAD, rows(0, 400))
  head = await commit(
    head,
    rows(100, 200).map((row) => ({ ...row, content: bytes('again') })),
  )
  const before = await contents(head)
  for (const rest of ['begun', 'lasting'] as const) head = await store.compact(head, { ...AT_REST, idle: rest })
  expect(dataFiles()).toHaveLength(1)
  expect(await contents(head)).toEqual(before)
})

import { expect, it } from 'vitest'
import { onFreshStore } from '../../../../../tests/harness/lance-store.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import type { SandboxStore } from '../port.ts'
import { LanceStores } from './stores.ts'

let folder: string
let store: SandboxStore
onFreshStore((fresh) => {
  folder = fresh.folder
  store = fresh.store
})

const record = (id: string) => ({
  ...{ id, live: true, sourceId: null, projectId: null, type: 'note', occurredAtMs: null },
  ...{ externalKey: 1, tie: 1, content: new Uint8Array([1]), analysis: new Uint8Array() },
})
const put = (by: SandboxStore, head: Head, id: string) =>
  by.commit(head, { records: [record(id)], entities: [], links: [] })
const countAt = async (head: Head) => (await store.countRows(head)).records
const idsAt = async (head: Head) => {
  const ids: string[] = []
  for await (const rows of store.scanRecords(head, { batchRows: 10 })) ids.push(...rows.map(({ id }) => id))
  return ids
}

it('a table that was opened at the latest version stays there, whichever process writes the next ones', async () => {
  const first = await put(store, EMPTY_HEAD, 'one')
  expect([await countAt(first), await idsAt(first)]).toEqual([1, ['one']])
  const second = await put(store, first, 'two')
  const beside = new LanceStores({ uri: folder })
  const third = await put(beside.open('usr_1', 'sbx_1'), second, 'three')
  beside.close()
  expect([await countAt(first), await idsAt(first)]).toEqual([1, ['one']])
  expect(await countAt(third)).toBe(3)
  expect([await countAt(second), await idsAt(second)]).toEqual([2, ['one', 'two']])
})

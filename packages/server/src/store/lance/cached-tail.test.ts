import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onFreshStore } from '../../../../../tests/harness/lance-store.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import type { EntityRow, GraphColumns, RecordRow, SandboxStore } from '../port.ts'
import { LanceStores } from './stores.ts'

let folder: string
let store: SandboxStore

onFreshStore((fresh) => {
  folder = fresh.folder
  store = fresh.store
})

const bytes = (text: string) => new TextEncoder().encode(text)

const record = (id: string, live = true, text = id): RecordRow => ({
  ...{
    id,
    live,
    sourceId: 'src_1',
    projectId: null,
    type: 'message',
    occurredAtMs: null,
    externalKey: 2 ** 51,
    tie: 3,
  },
  content: bytes(`content of ${text}`),
  analysis: bytes(`analysis of ${text}`),
})

const entity = (id: string, live = true): EntityRow => ({
  ...{ id, live, type: 'person', mergedInto: null, keys: [2 ** 52 - 1, id.length], content: bytes(id) },
})

const commit = (head: Head, records: RecordRow[], entities: EntityRow[] = [], by = store) =>
  by.commit(head, { records, entities, links: [] })

/** Returns the rows of a catch-up, one by one. */
async function rowsSince(head: Head, since: number, by = store): Promise<string[]> {
  const rows: string[] = []
  for await (const batch of by.readSince(head, since)) {
    for (let at = 0; at < batch.count; at++) rows.push(JSON.stringify(cellsOf(batch, at)))
  }
  return rows.sort()
}

function cellsOf(batch: GraphColumns, at: number) {
  return Object.entries(batch).map(([name, column]: [string, unknown]) => {
    if (typeof column !== 'object' || column === null) return name === 'count' ? '' : column
    const cell = (column as ArrayLike<unknown>)[at]
    return ArrayBuffer.isView(cell) ? [...(cell as Uint8Array)] : cell
  })
}

const otherProcess = () => new LanceStores({ uri: folder }).open('usr_1', 'sbx_1')

test('the catch-up gets just committed rows from memory, without a read', async () => {
  let head = await commit(EMPTY_HEAD, [record('rec_0')], [entity('ent_0')])
  await rowsSince(head, 0)
  // The second is read by number. After that the next row numbers are certain.
  const second = await commit(head, [record('rec_1')], [entity('ent_1')])
  await rowsSince(second, head.seq)
  head = second
  const third = await commit(head, [record('rec_2'), record('rec_0', false), record('rec_é', true, 'é 漢')])
  const fourth = await commit(third, [record('rec_2', true, 'again')], [entity('ent_0', false)])
  const away = join(folder, 'away')
  const datasets = ['records', 'entities'].map((name) => join(folder, 'usr_1', 'sbx_1', `${name}.lance`))
  for (const [at, path] of datasets.entries()) renameSync(path, `${away}${at}`)
  const kept = await rowsSince(fourth, head.seq)
  for (const [at, path] of datasets.entries()) renameSync(`${away}${at}`, path)
  expect(kept).toHaveLength(4)
  expect(kept).toEqual(await rowsSince(fourth, head.seq, otherProcess()))
})

test('after commits of others, lost commits and compaction, a catch-up equals that of another process', async () => {
  let head = await commit(EMPTY_HEAD, [record('rec_0')], [entity('ent_0')])
  let graph = head
  await rowsSince(head, 0)
  for (let at = 1; at < 24; at++) {
    // A commit that no head names, as after a crash before the transaction.
    if (at % 7 === 0) await commit(head, [record('rec_lost')], [entity('ent_lost')])
    const by = at % 11 === 0 ? otherProcess() : store
    const entities = at % 3 === 0 ? [entity(`ent_${at}`), entity('ent_0', at % 2 > 0)] : []
    head = await commit(head, [record(`rec_${at}`), record('rec_0', at % 4 > 0, `${at}`)], entities, by)
    if (at % 10 === 0) head = await store.compact(head, { retainMs: 0, clockSlackMs: 0 })
    if (at % 5 === 2) continue
    const since = graph.seq >= head.floorSeq ? graph.seq : 0
    expect(await rowsSince(head, since)).toEqual(await rowsSince(head, since, otherProcess()))
    graph = head
  }
})

test('no rows of an erased sandbox stay in memory', async () => {
  const stores = new LanceStores({ uri: folder })
  const erased = stores.open('usr_1', 'sbx_1')
  const first = await commit(EMPTY_HEAD, [record('rec_0')], [], erased)
  await rowsSince(first, 0, erased)
  const second = await commit(first, [record('rec_1')], [], erased)
  await rowsSince(second, first.seq, erased)
  const third = await commit(second, [record('rec_2')], [], erased)
  await stores.erase('usr_1', 'sbx_1')
  await expect(rowsSince(third, second.seq, erased)).rejects.toThrow(/stored|not found/)
})

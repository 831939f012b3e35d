import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { onFreshStore } from '../../../../../tests/harness/lance-store.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import type { EntityRow, LinkRow, RecordColumns, RecordRow, SandboxStore, Stores } from '../port.ts'
import { probeStorage } from './probe-storage.ts'

let folder: string
let stores: Stores
let store: SandboxStore

onFreshStore((fresh) => {
  folder = fresh.folder
  stores = fresh.stores
  store = fresh.store
})

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (content: Uint8Array | undefined) => content && new TextDecoder().decode(content)

function record(id: string, change: Partial<RecordRow> = {}): RecordRow {
  return {
    id,
    live: true,
    sourceId: null,
    projectId: null,
    type: 'message',
    occurredAtMs: null,
    externalKey: 2 ** 51 + 1,
    tie: 7,
    content: bytes(`content of ${id}`),
    analysis: bytes(`analysis of ${id}`),
    ...change,
  }
}

function entity(id: string, change: Partial<EntityRow> = {}): EntityRow {
  return { id, live: true, type: 'person', mergedInto: null, keys: [2 ** 52 - 1, 5], content: bytes(id), ...change }
}

function link(id: string, subjectId: string, objectId: string | null, change: Partial<LinkRow> = {}): LinkRow {
  const recordId = id.split(':')[0]!
  const row = { id, live: true, recordId, subjectId, objectId, predicate: 'knows', validFromMs: 1, validToMs: null }
  return { ...row, content: bytes('{}'), ...change }
}

const commit = (head: Head, changes: { records?: RecordRow[]; entities?: EntityRow[]; links?: LinkRow[] }) =>
  store.commit(head, { records: [], entities: [], links: [], ...changes })

async function recordsSince(head: Head, seq: number): Promise<RecordColumns[]> {
  const batches: RecordColumns[] = []
  for await (const batch of store.readSince(head, seq)) if (batch.kind === 'records') batches.push(batch)
  return batches
}

async function liveIds(head: Head): Promise<string[]> {
  const ids: string[] = []
  for await (const rows of store.scanRecords(head, { batchRows: 2 })) ids.push(...rows.map((row) => row.id))
  return ids.sort()
}

test('an empty sandbox reads as empty', async () => {
  expect(await recordsSince(EMPTY_HEAD, 0)).toEqual([])
  expect((await store.recordsById(EMPTY_HEAD, ['rec_1'])).size).toBe(0)
  expect(await store.linksOf(EMPTY_HEAD, ['ent_1'])).toEqual([])
})

test('a row is returned as it was committed, with any characters and empty fields', async () => {
  const rows = [
    record('rec_1', { sourceId: 'src_1', type: 'été 🌧', occurredAtMs: -12.5, content: new Uint8Array() }),
    record("it's", { projectId: 'prj_1' }),
  ]
  const head = await commit(EMPTY_HEAD, { records: rows, entities: [entity('ent_1', { mergedInto: 'ent_2' })] })
  const found = await store.recordsById(head, ['rec_1', "it's"])
  const { analysis: _, ...first } = rows[0]!
  expect(found.get('rec_1')).toEqual({ ...first, seq: 1 })
  expect(found.get("it's")?.projectId).toBe('prj_1')
  const entities = await store.entitiesById(head, ['ent_1'])
  expect(entities.get('ent_1')).toMatchObject({ mergedInto: 'ent_2', keys: [2 ** 52 - 1, 5] })
})

test('the newest version of a record is current, and none after its deletion', async () => {
  const first = await commit(EMPTY_HEAD, { records: [record('rec_1'), record('rec_2')] })
  const second = await commit(first, { records: [record('rec_1', { content: bytes('new') })] })
  const third = await commit(second, { records: [record('rec_2', { live: false, content: bytes('') })] })
  expect(text((await store.recordsById(third, ['rec_1'])).get('rec_1')?.content)).toBe('new')
  expect((await store.recordsById(third, ['rec_2'])).size).toBe(0)
  expect(await liveIds(third)).toEqual(['rec_1'])
})

test('readers of different heads each see their own head while the writer continues', async () => {
  const first = await commit(EMPTY_HEAD, { records: [record('rec_1')] })
  const second = await commit(first, { records: [record('rec_2')] })
  const third = await commit(second, { records: [record('rec_1', { live: false })] })
  const seen = await Promise.all([first, second, third, first].map(liveIds))
  expect(seen).toEqual([['rec_1'], ['rec_1', 'rec_2'], ['rec_2'], ['rec_1']])
})

test('a full read yields live rows once, and a catch-up also yields deletions', async () => {
  const first = await commit(EMPTY_HEAD, { records: [record('rec_1'), record('rec_2')] })
  const second = await commit(first, { records: [record('rec_1', { tie: 8 })] })
  const third = await commit(second, { records: [record('rec_2', { live: false }), record('rec_1', { tie: 9 })] })
  const [full] = await recordsSince(third, 0)
  expect(full).toMatchObject({
    count: 1,
    ids: ['rec_1'],
    tieBreakers: new Float64Array([9]),
    seqs: new Float64Array([3]),
  })
  expect(text(full?.analyses[0])).toBe('analysis of rec_1')
  const [catchUp] = await recordsSince(third, 1)
  expect(new Map(catchUp?.ids.map((id, i) => [id, catchUp.live[i]]))).toEqual(
    new Map([
      ['rec_1', 1],
      ['rec_2', 0],
    ]),
  )
  expect(await recordsSince(third, 3)).toEqual([])
})

test('records are read by the row numbers of a full read', async () => {
  const records = Array.from({ length: 50 }, (_, i) => record(`rec_${i}`))
  const head = await commit(EMPTY_HEAD, { records })
  const [columns] = await recordsSince(head, 0)
  const rowOf = new Map(columns?.ids.map((id, i) => [id, columns.rows[i]!]))
  const found = await store.recordsAt(head, [rowOf.get('rec_31')!, rowOf.get('rec_7')!])
  expect(text(found.get('rec_31')?.content)).toBe('content of rec_31')
  expect([...found.keys()].sort()).toEqual(['rec_31', 'rec_7'])
})

test('a link whose new version has another end is found only at the new end', async () => {
  const first = await commit(EMPTY_HEAD, {
    links: [link('rec_1:0', 'ent_a', 'ent_b'), link('rec_1:1', 'ent_a', null), link('rec_2:0', 'ent_c', 'ent_a')],
  })
  const ids = async (head: Head, entityId: string) => (await store.linksOf(head, [entityId])).map(({ id }) => id).sort()
  expect(await ids(first, 'ent_a')).toEqual(['rec_1:0', 'rec_1:1', 'rec_2:0'])
  const second = await commit(first, {
    links: [link('rec_1:0', 'ent_d', 'ent_b'), link('rec_1:1', '', null, { live: false })],
  })
  expect(await ids(second, 'ent_a')).toEqual(['rec_2:0'])
  expect(await ids(second, 'ent_d')).toEqual(['rec_1:0'])
  expect((await store.linksOfRecords(second, ['rec_1'])).map(({ id }) => id)).toEqual(['rec_1:0'])
})

test('an erased sandbox leaves no files, and can be filled again', async () => {
  const head = await commit(EMPTY_HEAD, { records: [record('rec_1')], entities: [entity('ent_1')] })
  await stores.erase('usr_1', 'sbx_1')
  await expect(store.recordsById(head, ['rec_1'])).rejects.toMatchObject({ name: 'HeadGone' })
  const again = await commit(EMPTY_HEAD, { records: [record('rec_2')] })
  expect(await liveIds(again)).toEqual(['rec_2'])
})

test('a sandbox id that would leave the root is rejected', () => {
  expect(() => stores.open('usr_1', 'a/b')).toThrow()
})

test('a local folder passes the probe for concurrent commits, which leaves no files', async () => {
  await probeStorage({ uri: folder }, 'prb_1')
  expect(readdirSync(folder)).toEqual([])
})

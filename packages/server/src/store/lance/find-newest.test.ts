import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { analyseRecord, plainKeyHash } from '@cairnstore/engine/text'
import { expect, test } from 'vitest'
import { onFreshStore } from '../../../../../tests/harness/lance-store.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import type { Changes, EntityRow, LinkRow, RecordRow, SandboxStore } from '../port.ts'

let folder: string
let store: SandboxStore
onFreshStore((fresh) => {
  folder = fresh.folder
  store = fresh.store
})

const bytes = (text: string) => new TextEncoder().encode(text)
const any = () => true

/** A record that declares the thing of its name. */
function record(id: string): RecordRow {
  const declared = [{ keys: [`name:${id}`] }]
  const analysis = analyseRecord({ text: id, declared, own: undefined, mentioned: [] } as never, plainKeyHash)
  const rest = { sourceId: 'src_1', projectId: null, type: 'note', occurredAtMs: null, externalKey: 1, tie: 1 }
  return { id, live: true, ...rest, content: bytes(id), analysis }
}

function entity(id: string): EntityRow {
  const keys = [plainKeyHash(`name:${id}`)]
  return { id: `ent_${id}`, live: true, type: 'thing', mergedInto: null, keys, content: bytes(id) }
}

function link(id: string): LinkRow {
  const ends = { recordId: id, subjectId: `ent_${id}`, objectId: null, predicate: 'is' }
  return { id: `${id}:0`, live: true, ...ends, validFromMs: null, validToMs: null, content: bytes('{}') }
}

const about = (id: string): Changes => ({ records: [record(id)], entities: [entity(id)], links: [link(id)] })

async function commitAll(...ids: string[]): Promise<Head[]> {
  const heads = [EMPTY_HEAD]
  for (const id of ids) heads.push(await store.commit(heads.at(-1)!, about(id)))
  return heads
}

const NO_CHANGES: Changes = { records: [], entities: [], links: [] }
const PARTS = [{ records: [record('c')] }, { entities: [entity('c')], links: [link('c')] }, { links: [link('c')] }]

test('a head that names the newest state is left as it is', async () => {
  const head = (await commitAll('a', 'b')).at(-1)!
  const found = await store.findNewest(head, any)
  expect(found).toMatchObject({ isEmpty: false, records: 2, notes: [] })
  expect(found.head).toBe(head)
})

test('from an older head the newest commit is found, and from a newer one the last that is stored', async () => {
  const [, first, , third] = await commitAll('a', 'b', 'c')
  const { head: found, storedSeq } = await store.findNewest(first!, any)
  expect({ ...found, floorSeq: 0 }).toEqual(third)
  expect(storedSeq).toBe(3)
  const ahead = { ...third!, recordsVersion: third!.recordsVersion + 9, seq: 20 }
  const back = await store.findNewest(ahead, any)
  // No commit gets a number that one had before.
  expect(back).toMatchObject({ storedSeq: 3, records: 3, head: { recordsVersion: third!.recordsVersion, seq: 20 } })
})

test.each(PARTS)('a commit that was written in part is left out: %#', async (part) => {
  const [, , second] = await commitAll('a', 'b')
  await store.commit(second!, { ...NO_CHANGES, ...part })
  const found = await store.findNewest(EMPTY_HEAD, any)
  expect(found.records).toBe(2)
  expect(found.notes).toEqual(['commit 3 was cut short and is left out'])
  expect((await store.scanRecords(found.head!, { batchRows: 10 }).next()).value).toHaveLength(2)
})

test('the commits from one of which a piece is gone are left out in all datasets', async () => {
  const [, , second] = await commitAll('a', 'b', 'c')
  const data = join(folder, 'usr_1/sbx_1/entities.lance/data')
  const before = new Set(readdirSync(data))
  const third = await store.commit(second!, about('d'))
  expect(third.seq).toBe(3)
  rmSync(join(data, readdirSync(data).find((name) => !before.has(name))!))
  const found = await store.findNewest(third, any)
  expect(found).toMatchObject({ records: 2, storedSeq: 2 })
  expect(found.notes[0]).toMatch(/^entities: version \d+ cannot be read whole$/)
})

test('a copy that nothing was committed to is no state, and one that commits went on in is', async () => {
  const heads = await commitAll('a', 'b')
  const head = heads.at(-1)!
  const copied = await store.purge(head)
  expect((await store.findNewest(head, any)).head).toBe(head)
  const later = await store.commit(copied, about('c'))
  const found = await store.findNewest(head, any)
  expect(found).toMatchObject({ records: 3, head: { recordsVersion: later.recordsVersion } })
  await store.sweep(later)
  expect(await store.findNewest(heads[1]!, any)).toMatchObject({ records: 3 })
})

test('content that is not sealed as its sandbox is makes no state whole', async () => {
  const head = (await commitAll('a')).at(-1)!
  expect(await store.findNewest(head, () => false)).toMatchObject({ head: undefined, isEmpty: false })
  rmSync(join(folder, 'usr_1/sbx_1'), { recursive: true })
  expect(await store.findNewest({ ...head, seq: 7 }, any)).toMatchObject({ head: undefined, isEmpty: true })
})

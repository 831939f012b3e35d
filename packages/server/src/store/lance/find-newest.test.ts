import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { analyseRecord, plainKeyHash } from '@cairnstore/engine/text'
import { afterEach, expect, test } from 'vitest'
import { onFreshStore } from '../../../../../tests/harness/lance-store.ts'
import { BUCKET, openObjectStore } from '../../../../../tests/harness/object-store.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import type { Changes, EntityRow, LinkRow, RecordRow, SandboxStore } from '../port.ts'
import { LanceStores } from './stores.ts'

let folder: string
let store: SandboxStore
onFreshStore((fresh) => {
  folder = fresh.folder
  store = fresh.store
})

const opened: LanceStores[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.close()
})

/** A store of a process that has read nothing before. */
function otherProcess(): SandboxStore {
  const stores = new LanceStores({ uri: folder })
  opened.push(stores)
  return stores.open('usr_1', 'sbx_1')
}

const bytes = (text: string) => new TextEncoder().encode(text)
const any = () => true

/** A record that declares an entity of its name. */
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

test('a head at the newest state is unchanged', async () => {
  const head = (await commitAll('a', 'b')).at(-1)!
  const found = await store.findNewest(head, any)
  expect(found).toMatchObject({ isEmpty: false, records: 2, notes: [] })
  expect(found.head).toBe(head)
})

test('from an older head the newest commit is found, and from a newer one the last stored commit', async () => {
  const [, first, , third] = await commitAll('a', 'b', 'c')
  const { head: found, storedSeq } = await store.findNewest(first!, any)
  expect({ ...found, floorSeq: 0 }).toEqual(third)
  expect(storedSeq).toBe(3)
  const ahead = { ...third!, recordsVersion: third!.recordsVersion + 9, seq: 20 }
  const back = await store.findNewest(ahead, any)
  // No commit reuses a number.
  expect(back).toMatchObject({ storedSeq: 3, records: 3, head: { recordsVersion: third!.recordsVersion, seq: 20 } })
})

test.each(PARTS)('an incomplete commit is skipped: %#', async (part) => {
  const [, , second] = await commitAll('a', 'b')
  await store.commit(second!, { ...NO_CHANGES, ...part })
  const found = await store.findNewest(EMPTY_HEAD, any)
  expect(found.records).toBe(2)
  expect(found.notes).toEqual(['commit 3 is incomplete and is skipped'])
  expect((await store.scanRecords(found.head!, { batchRows: 10 }).next()).value).toHaveLength(2)
})

test('commits of which one dataset is missing are skipped in all datasets', async () => {
  const [, , second] = await commitAll('a', 'b', 'c')
  const data = join(folder, 'usr_1/sbx_1/entities.lance/data')
  const before = new Set(readdirSync(data))
  const third = await store.commit(second!, about('d'))
  expect(third.seq).toBe(3)
  rmSync(join(data, readdirSync(data).find((name) => !before.has(name))!))
  const found = await store.findNewest(third, any)
  expect(found).toMatchObject({ records: 2, storedSeq: 2 })
  expect(found.notes[0]).toMatch(/^entities: version \d+ cannot be read completely$/)
})

test('a copy without commits is not a state, and a copy with later commits is', async () => {
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

test('content whose encryption does not match the sandbox is not a complete state', async () => {
  const head = (await commitAll('a')).at(-1)!
  expect(await store.findNewest(head, () => false)).toMatchObject({ head: undefined, isEmpty: false })
  rmSync(join(folder, 'usr_1/sbx_1'), { recursive: true })
  expect(await store.findNewest({ ...head, seq: 7 }, any)).toMatchObject({ head: undefined, isEmpty: true })
})

const manifestOf = (dataset: string) => {
  const versions = join(folder, `usr_1/sbx_1/${dataset}.lance/_versions`)
  // The newest comes first.
  return join(versions, readdirSync(versions).sort()[0]!)
}

/** Possible states of a damaged manifest. One has only a valid ending. */
const scrambled = (bytes: Buffer) => Buffer.concat([Buffer.alloc(bytes.length - 16, 9), bytes.subarray(-16)])
const BROKEN = [(_: Buffer) => Buffer.from('junk'), (bytes: Buffer) => bytes.subarray(0, -20), scrambled]

test.each(BROKEN)('an unreadable newest manifest does not hide earlier versions: %#', async (broken) => {
  const third = (await commitAll('a', 'b', 'c')).at(-1)!
  const manifest = manifestOf('records')
  const bytes = broken(readFileSync(manifest))
  writeFileSync(manifest, bytes)
  const look = otherProcess()
  const found = await look.findNewest(third, any)
  expect(found).toMatchObject({ records: 2, storedSeq: 2, isEmpty: false })
  expect(found.notes[0]).toBe('records: version 3 cannot be opened and is skipped')
  // A dry run changes nothing.
  await found.restoreNames()
  expect(readFileSync(manifest)).toEqual(bytes)
  const again = await look.findNewest(third, any)
  const next = await look.commit(again.head!, about('d'))
  expect((await look.scanRecords(next, { batchRows: 10 }).next()).value).toHaveLength(3)
  expect((await look.findNewest(next, any)).head).toBe(next)
})

test('a broken older manifest does not hide the others', async () => {
  const third = (await commitAll('a', 'b', 'c')).at(-1)!
  const versions = join(folder, 'usr_1/sbx_1/records.lance/_versions')
  writeFileSync(join(versions, readdirSync(versions).sort()[1]!), 'junk')
  expect(await otherProcess().findNewest(third, any)).toMatchObject({ head: third, records: 3, notes: [] })
})

test('if no manifest can be opened, all keep their names', async () => {
  const head = (await commitAll('a', 'b')).at(-1)!
  const versions = join(folder, 'usr_1/sbx_1/records.lance/_versions')
  const names = readdirSync(versions).filter((name) => name.endsWith('.manifest'))
  for (const path of names.map((name) => join(versions, name))) writeFileSync(path, scrambled(readFileSync(path)))
  expect(await otherProcess().findNewest(head, any)).toMatchObject({ head: undefined, isEmpty: false })
  expect(readdirSync(versions)).toEqual(expect.arrayContaining(names))
})

test('in an object store an unreadable newest manifest does not hide earlier versions', async () => {
  const bucket = await openObjectStore()
  const options = { endpoint: bucket.endpoint, region: 'eu-1', accessKeyId: 'test-access', secretAccessKey: 'secret' }
  const remote = { uri: `s3://${BUCKET}/root`, options: { ...options, allow_http: 'true' } }
  const open = () => {
    opened.push(new LanceStores(remote))
    return opened.at(-1)!.open('usr_1', 'sbx_1')
  }
  store = open()
  const third = (await commitAll('a', 'b', 'c')).at(-1)!
  const manifest = [...bucket.objects.keys()].filter((key) => /records.*\.manifest$/.test(key)).sort()[0]!
  bucket.objects.set(manifest, Buffer.from('junk'))
  const found = await open().findNewest(third, any)
  expect(found).toMatchObject({ records: 2, storedSeq: 2 })
  expect(bucket.objects.has(manifest)).toBe(false)
  await found.restoreNames()
  expect(bucket.objects.get(manifest)).toEqual(Buffer.from('junk'))
  const names = [...bucket.objects.keys()]
  bucket.mode = 'short'
  await expect(open().findNewest(third, any)).rejects.toThrow()
  bucket.mode = 'good'
  expect([...bucket.objects.keys()]).toEqual(names)
  await bucket.close()
})

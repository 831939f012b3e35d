import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesContaining } from '../../../../../tests/harness/disk.ts'
import { onFreshStore } from '../../../../../tests/harness/lance-store.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import { createContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import { DecryptionFailed } from '../../tenancy/secrets/encrypt.ts'
import { encryptedStore } from '../encrypted-store.ts'
import type { RecordRow, RecordText, SandboxStore, VectorColumns, VectorRow } from '../port.ts'
import { createRecordCache } from '../record-cache.ts'

let folder: string
let store: SandboxStore

onFreshStore((fresh) => {
  folder = fresh.folder
  store = fresh.store
})

const bytes = (text: string) => new TextEncoder().encode(text)

function record(id: string, live = true): RecordRow {
  const row = { id, live, sourceId: null, projectId: null, type: 'note', occurredAtMs: null, externalKey: 1, tie: 1 }
  return { ...row, content: bytes('content'), analysis: bytes('analysis') }
}

/** Vectors with the bytes of this text, so that files can be searched for them. */
function vectors(id: string, recordSeq: number, text: string): VectorRow {
  return { id, live: true, recordSeq, space: 2 ** 51 + 1, code: bytes(`code`), vector: bytes(text) }
}

const commit = (head: Head, changes: { records?: RecordRow[]; vectors?: VectorRow[] }) =>
  store.commit(head, { records: [], entities: [], links: [], ...changes })

async function stored(head: Head, since = 0): Promise<VectorColumns[]> {
  const found: VectorColumns[] = []
  for await (const batch of store.readSince(head, since, { vectors: true })) {
    if (batch.kind === 'vectors') found.push(batch)
  }
  return found
}

async function texts(head: Head): Promise<Record<string, string>> {
  const batches = await stored(head)
  const rows = batches.flatMap((batch) => batch.ids.map((id, at) => [id, batch.rows[at]!] as const))
  const found = await store.vectorsAt(head, new Map(rows))
  return Object.fromEntries([...found].map(([id, vector]) => [id, new TextDecoder().decode(vector)]))
}

/** Returns every file that contains the text, of any version and generation. */
const holding = (text: string) => filesContaining(folder, text)

/** Three records. One is replaced and one removed after their vectors were stored. */
async function fill(): Promise<Head> {
  let head = await commit(EMPTY_HEAD, { records: [record('kept'), record('replaced'), record('removed')] })
  const made = ['kept', 'replaced', 'removed'].map((id) => vectors(id, 1, `vector of ${id}`))
  head = await commit(head, { vectors: made })
  head = await commit(head, { records: [record('replaced'), record('removed', false)] })
  return commit(head, { vectors: [vectors('replaced', 3, 'another vector')] })
}

test('vectors are returned as committed, and only the newest of a record', async () => {
  const head = await fill()
  const [batch] = await stored(head, 2)
  expect(batch).toMatchObject({ count: 1, ids: ['replaced'], codes: [bytes('code')] })
  expect([batch?.recordSeqs[0], batch?.spaces[0]]).toEqual([3, 2 ** 51 + 1])
  expect(await texts(head)).toMatchObject({ kept: 'vector of kept', replaced: 'another vector' })
  for await (const { kind } of store.readSince(head, 0)) expect(kind).not.toBe('vectors')
})

test('compaction leaves no byte of vectors of superseded record versions', async () => {
  const before = await fill()
  for (const id of ['replaced', 'removed']) expect(holding(`vector of ${id}`)).toHaveLength(1)
  const tidy = { retainMs: 0, clockSlackMs: 0, isPruneForced: true }
  const head = await store.compact(await store.compact(before, tidy), tidy)
  expect(await texts(head)).toEqual({ kept: 'vector of kept', replaced: 'another vector' })
  expect(await store.count(head)).toMatchObject({ records: 2 })
  for (const id of ['replaced', 'removed']) expect(holding(`vector of ${id}`), id).toEqual([])
})

test('a purge copies the current vectors, and its sweep leaves no byte of the others', async () => {
  const head = await store.purge(await fill())
  expect(await texts(head)).toEqual({ kept: 'vector of kept', replaced: 'another vector' })
  expect(await store.sweep(head)).toBeGreaterThan(0)
  for (const id of ['replaced', 'removed']) expect(holding(`vector of ${id}`), id).toEqual([])
  expect(holding('vector of kept')).toHaveLength(1)
  const after = await commit(head, { vectors: [vectors('kept', 1, 'made anew')] })
  expect(await texts(after)).toMatchObject({ kept: 'made anew' })
})

test('a purge removes vectors that a crash left and no head refers to', async () => {
  const head = await commit(EMPTY_HEAD, { records: [record('removed')] })
  await commit(head, { vectors: [vectors('removed', 1, 'vector of a crash')] })
  const purged = await store.purge(await commit(head, { records: [record('removed', false)] }))
  await store.sweep(purged)
  expect(holding('vector of a crash')).toEqual([])
  expect(await texts(purged)).toEqual({})
})

test('a sandbox without vectors never gets a dataset for them', async () => {
  let head = await commit(EMPTY_HEAD, { records: [record('a'), record('b')] })
  head = await store.compact(await commit(head, { records: [record('a')] }), { isPruneForced: true })
  head = await store.purge(head)
  await store.sweep(head)
  expect(head.vectorsVersion).toBe(0)
  expect(readdirSync(join(folder, 'usr_1', 'sbx_1')).filter((name) => name.includes('vectors'))).toEqual([])
})

test('with a customer-managed key vectors are encrypted, and can be decrypted only for their record', async () => {
  const seal = createContentCipher(randomBytes(32), 'sbx_1', 1)
  const rows = { cache: createRecordCache<RecordText>(0), key: String, rowOf: () => undefined }
  const sealed = encryptedStore(store, seal, rows)
  const head = await sealed.commit(EMPTY_HEAD, {
    records: [record('one'), record('two')],
    entities: [],
    links: [],
    vectors: [vectors('one', 1, 'the-meaning-of-one'), vectors('two', 1, '')],
  })
  expect(filesContaining(folder, 'the-meaning-of-one')).toEqual([])
  const [batch] = await stored(head)
  const [one, two] = batch!.rows
  const at = (row: number | undefined, id: string) => sealed.vectorsAt(head, new Map([[id, row!]]))
  expect((await at(one, 'one')).get('one')).toEqual(Buffer.from('the-meaning-of-one'))
  expect((await at(two, 'two')).get('two')).toHaveLength(0)
  await expect(at(one, 'two')).rejects.toThrow(DecryptionFailed)
  const [own] = await sealed.vectorsOf(head, [{ id: 'one', seq: 1 }])
  expect(Buffer.from(own!.vector).toString()).toBe('the-meaning-of-one')
})

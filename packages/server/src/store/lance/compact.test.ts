import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onFreshStore } from '../../../../../tests/harness/lance-store.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import type { RecordRow, SandboxStore } from '../port.ts'
import { LanceStores } from './stores.ts'

let folder: string
let stores: LanceStores
let store: SandboxStore

onFreshStore((fresh) => {
  folder = fresh.folder
  stores = fresh.stores
  store = fresh.store
})

const bytes = (text: string) => new TextEncoder().encode(text)
const datasetPath = (name: string) => join(folder, 'usr_1', 'sbx_1', `${name}.lance`)
const versionPath = (version: number) =>
  join(datasetPath('records'), '_versions', `${String(2n ** 64n - 1n - BigInt(version)).padStart(20, '0')}.manifest`)

function record(id: string, live = true, content = `content of ${id}`): RecordRow {
  const row = { id, live, sourceId: null, projectId: null, type: 'message', occurredAtMs: null, externalKey: 1, tie: 1 }
  return { ...row, content: bytes(content), analysis: bytes('a') }
}

/** Commits the records on the head, through `by` to simulate another process. */
function commit(head: Head, records: RecordRow[], by = store): Promise<Head> {
  return by.commit(head, { records, entities: [], links: [] })
}

async function contents(head: Head, by = store): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const rows of by.scanRecords(head, { batchRows: 100 })) {
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

/** A store with its own tables, like that of another process. */
function otherProcess(): SandboxStore {
  return new LanceStores({ uri: folder }).open('usr_1', 'sbx_1')
}

test('a stale writer’s commit is never visible, and the next commit heals the dataset', async () => {
  const stale = otherProcess()
  const first = await commit(EMPTY_HEAD, [record('rec_1')])
  await commit(first, [record('rec_zombie')], stale)
  const second = await commit(first, [record('rec_2')])
  await commit(first, [record('rec_zombie')], stale)
  expect(Object.keys(await contents(second)).sort()).toEqual(['rec_1', 'rec_2'])
  const third = await commit(second, [record('rec_3')])
  expect(Object.keys(await contents(third)).sort()).toEqual(['rec_1', 'rec_2', 'rec_3'])
})

test('two concurrent writers never mix: each head refers to the rows of its own chain only', async () => {
  const stale = otherProcess()
  let live = await commit(EMPTY_HEAD, [record('rec_0')])
  let zombie = live
  for (let round = 1; round <= 8; round++) {
    const [next, other] = await Promise.allSettled([
      commit(live, [record(`live_${round}`)]),
      commit(zombie, [record(`zombie_${round}`)], stale),
    ])
    if (next.status === 'fulfilled') live = next.value
    else expect(next.reason).toMatchObject({ name: 'Fenced' })
    if (other.status === 'fulfilled') zombie = other.value
  }
  expect(Object.keys(await contents(live)).filter((id) => id.startsWith('zombie'))).toEqual([])
  expect(Object.keys(await contents(zombie, stale)).filter((id) => id.startsWith('live'))).toEqual([])
})

test('compaction by a stale writer does not change a head', async () => {
  const stale = otherProcess()
  let head = await commit(EMPTY_HEAD, [record('rec_1', true, 'old')])
  head = await commit(head, [record('rec_1', true, 'new'), record('rec_2')])
  const [tidied] = await Promise.allSettled([store.compact(head), stale.compact(head)])
  const current = tidied.status === 'fulfilled' ? tidied.value : head
  expect(await contents(current)).toEqual({ rec_1: 'new', rec_2: 'content of rec_2' })
  const next = await commit(current, [record('rec_3')])
  expect(Object.keys(await contents(next)).sort()).toEqual(['rec_1', 'rec_2', 'rec_3'])
})

test('compaction drops superseded and unreachable rows, and a catch-up gets every moved row', async () => {
  let head = await commit(EMPTY_HEAD, [record('rec_0')])
  const first = head
  for (let i = 1; i < 70; i++) head = await commit(head, [record(`rec_${i}`), record('rec_0', true, `${i}`)])
  const known = await rowNumbers(head)
  const tidied = await store.compact(head, { retainMs: 0, clockSlackMs: 0 })
  for await (const batch of store.readSince(tidied, head.seq)) {
    if (batch.kind !== 'records') throw new Error(`${batch.kind} were not upkept`)
    expect([...batch.moved]).toEqual(new Array(batch.count).fill(1))
    for (let i = 0; i < batch.count; i++) known[batch.ids[i]!] = batch.rows[i]!
  }
  expect(known).toEqual(await rowNumbers(tidied))
  expect([...(await store.recordsAt(tidied, [known.rec_5!])).keys()]).toEqual(['rec_5'])
  expect((await contents(tidied)).rec_0).toBe('69')
  expect(readdirSync(join(datasetPath('records'), '_versions')).length).toBeLessThan(10)
  await expect(otherProcess().recordsById(first, ['rec_0'])).rejects.toMatchObject({ name: 'HeadGone' })
})

test('a catch-up of very many rows yields new rows completely, and moved ones by number only', async () => {
  const idsOf = (round: number) => Array.from({ length: 240 }, (_, at) => `rec_${round}_${at}`)
  let head = EMPTY_HEAD
  for (let round = 0; round < 36; round++) {
    head = await commit(
      head,
      idsOf(round).map((id) => record(id)),
    )
  }
  const known = await rowNumbers(head)
  const { seq } = head
  head = await commit(await store.compact(head), [record('rec_new'), record('rec_0_0', false)])
  const whole: string[] = []
  for await (const batch of otherProcess().readSince(head, seq)) {
    for (let i = 0; i < batch.count; i++) {
      const id = batch.ids[i]!
      if (batch.kind === 'records') whole.push(id)
      if (batch.kind === 'records' && !batch.live[i]) delete known[id]
      else known[id] = batch.rows[i]!
    }
  }
  expect(whole.sort()).toEqual(['rec_0_0', 'rec_new'])
  expect(known).toEqual(await rowNumbers(head))
})

test('manifests do not grow with the number of commits', async () => {
  let head = EMPTY_HEAD
  let smallest = Number.POSITIVE_INFINITY
  for (let i = 1; i <= 120; i++) {
    head = await commit(head, [record(`rec_${i}`)])
    if (i % 40 !== 0) continue
    head = await store.compact(head)
    const [latest] = readdirSync(join(datasetPath('records'), '_versions')).sort()
    const { size } = statSync(join(datasetPath('records'), '_versions', latest!))
    smallest = Math.min(smallest, size)
    expect(size).toBeLessThan(smallest * 1.5)
  }
})

test('versions younger than the retention stay readable through compaction', async () => {
  const first = await commit(EMPTY_HEAD, [record('rec_1')])
  const second = await commit(first, [record('rec_2')])
  await store.compact(second)
  expect(Object.keys(await contents(first, otherProcess()))).toEqual(['rec_1'])
})

test('the head before compaction stays readable, however old: a crash can come before the head moves', async () => {
  const inTheFutureMs = -3_600_000
  let head = EMPTY_HEAD
  for (let i = 0; i < 70; i++) head = await commit(head, [record(`rec_${i}`)])
  await store.compact(head, { retainMs: inTheFutureMs })
  expect(Object.keys(await contents(head, otherProcess()))).toHaveLength(70)
})

test('a reader after an erasure does not create the folder again', async () => {
  const head = await commit(EMPTY_HEAD, [record('rec_1')])
  await stores.erase('usr_1', 'sbx_1')
  await expect(contents(head, otherProcess())).rejects.toMatchObject({ name: 'HeadGone' })
  expect(readdirSync(folder)).toEqual([])
})

test('a forced prune leaves one file per dataset in an idle sandbox', async () => {
  let head = EMPTY_HEAD
  for (let i = 0; i < 10; i++) head = await commit(head, [record(`rec_${i}`)])
  for (let i = 0; i < 2; i++) head = await store.compact(head, { isPruneForced: true, retainMs: 0, clockSlackMs: 0 })
  expect(readdirSync(join(datasetPath('records'), 'data'))).toHaveLength(1)
  expect(Object.keys(await contents(head))).toHaveLength(10)
})

test('only old tombstones are dropped, and floorSeq says which indexes can no longer catch up', async () => {
  let head = await commit(EMPTY_HEAD, [record('rec_1'), record('rec_2'), record('rec_3')])
  head = await commit(head, [record('rec_1', false)])
  head = await commit(head, [record('rec_2', false)])
  const tidied = await store.compact(head, { keepTombstonesOfCommits: 1 })
  expect(tidied.floorSeq).toBe(2)
  const seen: string[] = []
  for await (const batch of store.readSince(tidied, 2)) seen.push(...batch.ids)
  expect(seen).toEqual(['rec_2'])
})

test('a purge leaves no byte of removed content, not even of a stray commit', async () => {
  const filler = Array.from({ length: 200 }, (_, i) => record(`rec_${i}`))
  let head = await commit(EMPTY_HEAD, [...filler, record('rec_secret', true, 'canary-secret')])
  await commit(head, [record('rec_stray', true, 'canary-stray')], otherProcess())
  head = await commit(head, [record('rec_secret', false, '')])
  const purged = await store.purge(head)
  await store.sweep(purged)
  expect(grep('canary')).toBe('')
  expect(Object.keys(await contents(purged))).toHaveLength(200)
  expect(purged.floorSeq).toBe(purged.seq)
  await expect(contents(head)).rejects.toMatchObject({ name: 'HeadGone' })
  expect(Object.keys(await contents(await commit(purged, [record('rec_new')])))).toHaveLength(201)
})

test('a crashed purge leaves no files after the next one', async () => {
  let head = await commit(EMPTY_HEAD, [record('rec_1'), record('rec_2', true, 'canary')])
  await store.purge(head)
  head = await commit(head, [record('rec_2', false, '')])
  const purged = await store.purge(head)
  await store.compact(purged)
  expect(grep('canary')).toBe('')
  expect(Object.keys(await contents(purged))).toEqual(['rec_1'])
})

test('a catch-up by row numbers equals a scan, through compaction, purge and lost commits', async () => {
  let head = await commit(EMPTY_HEAD, [record('rec_0')])
  let graph = await ids(head, 0, store)
  for (let i = 1; i < 30; i++) {
    const from = head.seq
    if (i % 7 === 0) head = await store.compact(head)
    else if (i === 16) head = await store.purge(head)
    else {
      if (i % 5 === 0) await commit(head, [record('rec_lost')])
      head = await commit(head, [record(`rec_${i}`), record('rec_0', i % 3 > 0), record(`rec_${i}`, true, 'last')])
    }
    if (i % 4 === 0) continue
    const since = head.floorSeq > from ? 0 : graph.seq
    graph = { seq: head.seq, rows: (await ids(head, since, store)).rows }
    expect(graph.rows).toEqual((await ids(head, since, otherProcess())).rows)
  }
})

async function ids(head: Head, since: number, by: SandboxStore) {
  const rows: string[] = []
  for await (const batch of by.readSince(head, since)) {
    if (batch.kind === 'vectors' || batch.kind === 'moved') continue
    for (let i = 0; i < batch.count; i++)
      rows.push(`${batch.ids[i]} ${batch.seqs[i]} ${batch.live[i]} ${batch.rows[i]}`)
  }
  return { seq: head.seq, rows: rows.sort() }
}

test('a manifest torn by a power loss is healed by the next commit, and does not block readers', async () => {
  const first = await commit(EMPTY_HEAD, [record('rec_1')])
  await commit(first, [record('rec_stray')], otherProcess())
  truncateSync(versionPath(2), 0)
  writeFileSync(join(datasetPath('records'), '_versions', 'latest_version_hint.json'), '')
  expect(Object.keys(await contents(first, otherProcess()))).toEqual(['rec_1'])
  const second = await commit(first, [record('rec_2')])
  expect(Object.keys(await contents(second)).sort()).toEqual(['rec_1', 'rec_2'])
})

test('a dataset left by a crash before the first head is replaced', async () => {
  await commit(EMPTY_HEAD, [record('rec_stray')], otherProcess())
  const head = await commit(EMPTY_HEAD, [record('rec_1')])
  expect(Object.keys(await contents(head))).toEqual(['rec_1'])
})

function grep(text: string): string {
  try {
    return execFileSync('grep', ['-rl', text, folder], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeContent, recordKey } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import { analyseQuestion } from '@cairnstore/engine/understand'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import { EMPTY_HEAD, type Head } from '../db/head.ts'
import { createContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import { ANSWER_BYTES_MAX } from './buckets/buckets.ts'
import { Knowledge } from './knowledge.ts'
import { LanceStores } from './lance/stores.ts'
import type { EntityRow, RecordRow, Stores } from './port.ts'
import { toRecordRow } from './record-row.ts'
import { writeSnapshotFile } from './snapshot-file.ts'

const KEY = randomBytes(32)
const RECORDS = 40
const QUESTIONS = ['harbor gateway review', 'the budget of team 7', 'What says Ada Quist?', 'crane valves']
const WORDS = ['harbor', 'gateway', 'budget', 'review', 'crane', 'valves', 'dock', 'invoice']

let folder: string
let stores: LanceStores
let said: string[]
let sandbox: { userId: string; sandboxId: string }
let sandboxes = 0

/** The rest is about a sandbox that never existed. */
function beginAnew(): void {
  sandboxes += 1
  sandbox = { userId: 'usr_1', sandboxId: `sbx_${sandboxes}` }
}

beforeEach(() => {
  beginAnew()
  folder = mkdtempSync(join(tmpdir(), 'cairn-images-'))
  stores = new LanceStores({ uri: folder })
  said = []
})

afterEach(() => {
  stores.close()
  rmSync(folder, { recursive: true, force: true })
})

const log = openLog('warn', systemClock, (line) => said.push(line))

/** Simulates another process: it has no graph in memory, and notes the commits from which it reads. */
function another(read: number[] = [], imageKey: Uint8Array | undefined = KEY): Knowledge {
  const noting: Stores = Object.assign(Object.create(stores) as LanceStores, {
    open: (...args: Parameters<Stores['open']>) => {
      const store = stores.open(...args)
      const readSince: typeof store.readSince = (head, seq, wants) => {
        read.push(seq)
        return store.readSince(head, seq, wants)
      }
      return { ...store, readSince }
    },
  })
  return new Knowledge(noting, async () => undefined, log, { snapshotKey: imageKey })
}

function recordOf(number: number, seed: number, live = true): RecordRow {
  const words = WORDS.map((_, at) => WORDS[(seed * (at + 3) + number) % WORDS.length])
  const text = `Team ${number % 9} says ${words.join(' ')} of version ${seed}, and Ada Quist agrees.`
  const content = { external_id: `${number}`, type: number % 2 ? 'note' : 'message', text }
  const record = {
    content,
    origin: { sourceId: 'src_1', provider: 'test' },
    projectId: null,
    things: [],
    mentioned: [],
  }
  const key = recordKey('src_1', content.external_id)
  return { ...toRecordRow(`rec_${number}`, key, record, encodeContent(content), plainKeyHash), live }
}

function entityOf(number: number, mergedInto: string | null): EntityRow {
  const id = `ent_${number}`
  const entity = { id, type: 'person', names: [], identifiers: [], properties: {} }
  const keys = [`n:ada ${number}`, 'n:ada quist'].map(plainKeyHash)
  const content = encodeContent(entity as unknown as Parameters<typeof encodeContent>[0])
  return { id, live: true, type: number % 2 ? 'person' : 'team', mergedInto, keys, content }
}

const step = fc.record({
  kind: fc.constantFrom('put', 'put', 'remove', 'entity', 'upkeep'),
  number: fc.nat(RECORDS - 1),
  seed: fc.nat(100),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function take(head: Head, { kind, number, seed }: Step): Promise<Head> {
  const store = stores.open(sandbox.userId, sandbox.sandboxId)
  if (kind === 'upkeep')
    return head.seq === 0 ? head : store.compact(head, { idle: 'lasting', retainMs: 0, clockSlackMs: 0 })
  const near = [number, (number + 1) % RECORDS, (number + 5) % RECORDS]
  const records = kind === 'entity' ? [] : near.map((each) => recordOf(each, seed, kind === 'put'))
  const entities = kind === 'entity' ? near.map((each, at) => entityOf(each, at === 2 ? `ent_${number}` : null)) : []
  return store.commit(head, { records, entities, links: [] })
}

/** Returns what another process sees of the sandbox at a head. */
async function seen(head: Head, read?: number[]) {
  const view = await another(read).view(sandbox, head)
  const ids = Array.from({ length: RECORDS }, (_, number) => `rec_${number}`)
  const rows = ids.map((id) => view.rowOf(id)).filter((row) => row !== undefined)
  const texts = await view.store.recordsAt(head, rows)
  return {
    ranked: QUESTIONS.map((question) => view.graph.rank(analyseQuestion(question, [], view.hash), null, 20)),
    rows: ids.map((id) => view.rowOf(id)),
    texts: ids.map((id) => String(Buffer.from(texts.get(id)?.content ?? []))),
    entities: [view.entityIds(undefined), view.entityIds('person')],
    entityRows: view.entityRowsOf(view.entityIds(undefined)),
    former: view.entityIds(undefined).map((id) => view.formerIds(id).sort()),
  }
}

async function keep(head: Head, name = 'one', key = KEY): Promise<Head> {
  const knowledge = another([], key)
  await knowledge.view(sandbox, head)
  const kept = await knowledge.graphs.writeSnapshot(sandbox, name, undefined, () => undefined)
  expect(kept).toMatchObject({ seq: head.seq, keyEpoch: null })
  return { ...head, graphImage: name }
}

test('an index from a snapshot and later commits equals a rebuilt one, after any commits', async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      beginAnew()
      let head = await take(EMPTY_HEAD, { kind: 'put', number: 0, seed: 1 })
      for (const each of before) head = await take(head, each)
      head = await keep(head)
      const { seq } = head
      for (const each of after) head = await take(head, each)
      const read: number[] = []
      const isReachable = head.floorSeq <= seq
      expect(await seen(head, read)).toEqual(await seen({ ...head, graphImage: null }))
      expect(read).toEqual(isReachable ? (head.seq > seq ? [seq] : []) : [0])
    }),
    { numRuns: 12 },
  )
  expect(said).toEqual([])
})

test('a changed, truncated or missing snapshot is ignored, and the index is rebuilt', async () => {
  let head = EMPTY_HEAD
  for (let number = 0; number < RECORDS; number += 3) head = await take(head, { kind: 'put', number, seed: number })
  const expected = await seen(head)
  const kept = await keep(head)
  const pieces = join(folder, sandbox.userId, sandbox.sandboxId, 'graph')
  const names = readdirSync(pieces).sort()
  expect(names).toEqual(['one', 'one-0'])
  const [contents, tables] = names.map((name) => readFileSync(join(pieces, name)))
  const restore = () => {
    writeFileSync(join(pieces, 'one'), contents!)
    writeFileSync(join(pieces, 'one-0'), tables!)
  }
  const broken: [string, () => void][] = [
    ['contents', () => writeFileSync(join(pieces, 'one'), contents!.with(contents!.length >> 1, 7))],
    ['contents cut', () => truncateSync(join(pieces, 'one'), contents!.length >> 1)],
    [
      'tables',
      () => writeFileSync(join(pieces, 'one-0'), tables!.with(tables!.length >> 1, tables![tables!.length >> 1]! ^ 1)),
    ],
    ['tables cut', () => truncateSync(join(pieces, 'one-0'), tables!.length - 8)],
    ['tables gone', () => rmSync(join(pieces, 'one-0'))],
    ['all gone', () => rmSync(pieces, { recursive: true })],
  ]
  for (const [what, breaks] of broken) {
    breaks()
    const read: number[] = []
    expect(await seen(kept, read), what).toEqual(expected)
    expect(read, what).toEqual([0])
    if (what !== 'all gone') restore()
  }
})

test('a snapshot with a wrong signature, or stored under another name, is ignored', async () => {
  const head = await take(EMPTY_HEAD, { kind: 'put', number: 1, seed: 1 })
  const expected = await seen(head)
  const forged = await keep(head, 'forged', randomBytes(32))
  await keep(head)
  const store = stores.open(sandbox.userId, sandbox.sandboxId)
  for (const piece of ['', '-0'])
    await store.writeSegment('graph', `other${piece}`, (await store.readSegment('graph', `one${piece}`))!)
  for (const name of [forged.graphImage, 'other']) {
    const read: number[] = []
    expect(await seen({ ...head, graphImage: name }, read)).toEqual(expected)
    expect(read).toEqual([0])
  }
  const read: number[] = []
  await another(read).view(sandbox, { ...head, graphImage: 'one' })
  expect(read).toEqual([])
})

test('a snapshot of another sandbox, or of a commit that is too old, is ignored', async () => {
  let head = await take(EMPTY_HEAD, { kind: 'put', number: 1, seed: 1 })
  head = await keep(head)
  const other = { ...sandbox, sandboxId: 'sbx_other' }
  const records = [recordOf(30, 3)]
  const otherHead = await stores
    .open(other.userId, other.sandboxId)
    .commit(EMPTY_HEAD, { records, entities: [], links: [] })
  const store = stores.open(sandbox.userId, sandbox.sandboxId)
  for (const name of ['one', 'one-0']) {
    await stores
      .open(other.userId, other.sandboxId)
      .writeSegment('graph', name, (await store.readSegment('graph', name))!)
  }
  const view = await another().view(other, { ...otherHead, graphImage: 'one' })
  expect([view.rowOf('rec_30') === undefined, view.rowOf('rec_1')]).toEqual([false, undefined])
  const read: number[] = []
  await another(read).view(sandbox, { ...head, floorSeq: head.seq + 1, seq: head.seq + 1 })
  expect(read).toEqual([0])
})

test('writing a snapshot is canceled by a commit, and a purge deletes all snapshots', async () => {
  const head = await take(EMPTY_HEAD, { kind: 'put', number: 1, seed: 1 })
  const knowledge = another()
  await knowledge.view(sandbox, head)
  const next = await take(head, { kind: 'put', number: 9, seed: 2 })
  let isCommitted = false
  const breathe = async () => {
    if (!isCommitted) await knowledge.view(sandbox, next)
    isCommitted = true
  }
  expect(await knowledge.graphs.writeSnapshot(sandbox, 'one', undefined, breathe)).toBeUndefined()
  const kept = await keep(next, 'two')
  const store = stores.open(sandbox.userId, sandbox.sandboxId)
  expect(await store.readSegment('graph', 'two')).toBeDefined()
  expect((await store.purge(kept)).graphImage).toBeNull()
  expect([await store.readSegment('graph', 'two'), await store.readSegment('graph', 'two-0')]).toEqual([
    undefined,
    undefined,
  ])
})

test('a snapshot that needs too much memory is rejected before it is read', async () => {
  let head = EMPTY_HEAD
  for (let seed = 0; seed < 3; seed++) {
    const records = Array.from({ length: 1_000 }, (_, at) => recordOf(seed * 1_000 + at, at))
    head = await stores.open(sandbox.userId, sandbox.sandboxId).commit(head, { records, entities: [], links: [] })
  }
  const kept = await keep(head)
  const knowledge = new Knowledge(stores, async () => undefined, log, { snapshotKey: KEY, graphBytesMax: 600_000 })
  await expect(knowledge.view(sandbox, kept)).rejects.toMatchObject({ reason: 'sandbox_too_large' })
})

test('with a customer-managed key a snapshot is encrypted, and is readable with that key', async () => {
  const [seal, other] = [
    createContentCipher(randomBytes(32), sandbox.sandboxId, 1),
    createContentCipher(randomBytes(32), sandbox.sandboxId, 2),
  ]
  const head = { ...(await take(EMPTY_HEAD, { kind: 'put', number: 1, seed: 1 })), keyEpoch: seal.epoch }
  const knowledge = another()
  await knowledge.view({ ...sandbox, seal }, head)
  expect(await knowledge.graphs.writeSnapshot(sandbox, 'one', undefined, () => undefined)).toBeUndefined()
  expect(await knowledge.graphs.writeSnapshot(sandbox, 'one', other, () => undefined)).toBeUndefined()
  expect(await knowledge.graphs.writeSnapshot(sandbox, 'one', seal, () => undefined)).toMatchObject({
    keyEpoch: seal.epoch,
  })
  const kept = { ...head, graphImage: 'one' }
  const contents = Buffer.from((await stores.open(sandbox.userId, sandbox.sandboxId).readSegment('graph', 'one'))!)
  expect(contents.includes('recordReach')).toBe(false)
  const read: number[] = []
  const view = await another(read).view({ ...sandbox, seal }, kept)
  expect([view.rowOf('rec_1') === undefined, read]).toEqual([false, []])
  await another(read).countEmbedded(sandbox, kept)
  expect(read).toEqual([0])
})

test('an encrypted segment of a large index fits in one read of a bucket', async () => {
  const seal = createContentCipher(randomBytes(32), sandbox.sandboxId, 1)
  await take(EMPTY_HEAD, { kind: 'put', number: 1, seed: 1 })
  const store = stores.open(sandbox.userId, sandbox.sandboxId)
  const tables = [{ name: 'bytes', type: 'u8' as const, segments: [new Uint8Array(ANSWER_BYTES_MAX + 1)] }]
  const still = { assertSame: () => undefined, yieldIfDue: () => undefined }
  await writeSnapshotFile({ store, seal, key: KEY }, 'one', { format: '', tables, facts: {} }, still)
  const sizes = await Promise.all(
    ['one', 'one-0', 'one-1'].map(async (name) => (await store.readSegment('graph', name))!.length),
  )
  expect(Math.max(...sizes)).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
})

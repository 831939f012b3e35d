import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeContent, recordKey } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import { analyseQuestion } from '@cairnstore/engine/understand'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import { EMPTY_HEAD, type Head } from '../db/head.ts'
import { Knowledge } from './knowledge.ts'
import { LanceStores } from './lance/stores.ts'
import { toRecordRow } from './record-row.ts'

const SANDBOXES = 8
const RECORDS = 50
/** Number of records whose graph is several times as large as the memory for all graphs. */
const MANY = 2_000
const KIB = 1024
/** Number of sandboxes that fit in memory. Questions add to the size of a graph. */
const GRAPHS_HELD = 4
/** Bytes that one small sandbox may use. */
const SMALL_MAX = 160 * KIB

let folder: string
let stores: LanceStores

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-knowledge-'))
  stores = new LanceStores({ uri: folder })
})

afterEach(() => {
  stores.close()
  rmSync(folder, { recursive: true, force: true })
})

const log = openLog('silent', systemClock, () => {})
const sandboxOf = (number: number) => ({ userId: 'usr_1', sandboxId: `sbx_${number}` })

function recordOf(number: number, at: number) {
  const text = `The budget of team ${at} is due, says sandbox${number} about the harbor gateway and its review.`
  const content = { external_id: `${at}`, type: 'note', text }
  const origin = { sourceId: 'src_1', provider: 'test' }
  const record = { content, origin, projectId: null, things: [], mentioned: [] }
  const key = recordKey('src_1', content.external_id)
  return toRecordRow(`rec_${number}_${at}`, key, record, encodeContent(content), plainKeyHash)
}

/** Commits some records to a sandbox on a head, starting at a number. */
function commit(number: number, head: Head, from: number, count: number): Promise<Head> {
  const records = Array.from({ length: count }, (_, at) => recordOf(number, from + at))
  return stores.open('usr_1', `sbx_${number}`).commit(head, { records, entities: [], links: [] })
}

/** Small sandboxes, each with a unique word. */
async function fill(): Promise<Head[]> {
  const heads: Head[] = []
  for (let number = 0; number < SANDBOXES; number++) heads.push(await commit(number, EMPTY_HEAD, 0, RECORDS))
  return heads
}

test('a small sandbox uses little memory', async () => {
  const knowledge = new Knowledge(stores, async () => undefined, log)
  const [head] = await fill()
  await knowledge.view(sandboxOf(0), head!)
  expect(knowledge.graphs.stats().bytes).toBeGreaterThan(0)
  expect(knowledge.graphs.stats().bytes).toBeLessThan(SMALL_MAX)
  knowledge.forget(sandboxOf(0))
  expect(knowledge.graphs.stats().bytes).toBe(0)
})

test('indexes beyond the memory limit are evicted, rebuilt, and answer the same', async () => {
  const heads = await fill()
  const unbounded = new Knowledge(stores, async () => undefined, log)
  await unbounded.view(sandboxOf(0), heads[0]!)
  const bound = unbounded.graphs.stats().bytes * GRAPHS_HELD
  const knowledge = new Knowledge(stores, async () => undefined, log, { graphBytesMax: bound })
  const ask = async (number: number) => {
    const view = await knowledge.view(sandboxOf(number), heads[number]!)
    expect(knowledge.graphs.stats().bytes).toBeLessThanOrEqual(bound)
    return view.graph.rank(analyseQuestion(`budget sandbox${number}`, [], view.hash), null, 5)
  }
  const first: unknown[] = []
  for (let number = 0; number < SANDBOXES; number++) first.push(await ask(number))
  for (let number = 0; number < SANDBOXES; number++) expect(await ask(number)).toEqual(first[number])
  expect(first[0]).toHaveLength(5)
})

test('a sandbox that does not fit is rejected before memory runs out, and the others are answered', async () => {
  const [small, large] = [await commit(0, EMPTY_HEAD, 0, RECORDS), await commit(1, EMPTY_HEAD, 0, MANY)]
  const unbounded = new Knowledge(stores, async () => undefined, log)
  await unbounded.view(sandboxOf(1), large)
  const bound = Math.ceil(unbounded.graphs.stats().bytes / 2)
  const knowledge = new Knowledge(stores, async () => undefined, log, { graphBytesMax: bound })
  const refused = expect.objectContaining({ reason: 'sandbox_too_large', status: 503 })
  await knowledge.view(sandboxOf(0), small)
  await expect(knowledge.view(sandboxOf(1), large)).rejects.toEqual(refused)
  expect(knowledge.graphs.stats().bytes).toBeLessThanOrEqual(bound)
  // The result is remembered: the next question starts no build, and no records are accepted.
  await expect(knowledge.view(sandboxOf(1), large)).rejects.toEqual(refused)
  expect(() => knowledge.graphs.assertFits(sandboxOf(1))).toThrow(refused)
  expect((await knowledge.view(sandboxOf(0), small)).graph.recordCount).toBe(RECORDS)
  expect(knowledge.graphs.growthOf(sandboxOf(0)).records).toBeGreaterThan(0)
  // After an erasure, a smaller sandbox is answered again.
  knowledge.forget(sandboxOf(1))
  await stores.erase('usr_1', 'sbx_1')
  const again = await commit(1, EMPTY_HEAD, 0, RECORDS)
  expect((await knowledge.view(sandboxOf(1), again)).graph.recordCount).toBe(RECORDS)
})

test('an index at the limit stops growing, and one beyond the limit is dropped', async () => {
  let head = await commit(0, EMPTY_HEAD, 0, MANY)
  const unbounded = new Knowledge(stores, async () => undefined, log)
  await unbounded.view(sandboxOf(0), head)
  const bound = Math.ceil(unbounded.graphs.stats().bytes * 1.05)
  const knowledge = new Knowledge(stores, async () => undefined, log, { graphBytesMax: bound })
  expect((await knowledge.view(sandboxOf(0), head)).graph.recordCount).toBe(MANY)
  expect(knowledge.graphs.growthOf(sandboxOf(0))).toEqual({ records: 0, bytes: 0 })
  head = await commit(0, head, MANY, MANY)
  await expect(knowledge.view(sandboxOf(0), head)).rejects.toMatchObject({ reason: 'sandbox_too_large' })
  expect(knowledge.graphs.stats().bytes).toBe(0)
})

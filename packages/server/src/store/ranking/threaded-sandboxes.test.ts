import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeContent, recordKey } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import { analyseQuestion } from '@cairnstore/engine/understand'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { openLog } from '../../base/log.ts'
import { EMPTY_HEAD, type Head } from '../../db/head.ts'
import { Knowledge } from '../knowledge.ts'
import { LanceStores } from '../lance/stores.ts'
import type { RecordRow } from '../port.ts'
import { toRecordRow } from '../record-row.ts'
import type { SandboxView } from '../sandbox-view.ts'
import { RankThreads } from './rank-threads.ts'

const QUESTIONS = ['harbor gateway review', 'the budget of team 7', 'crane valves'].map((text) =>
  analyseQuestion(text, [], plainKeyHash),
)
const WORDS = ['harbor', 'gateway', 'budget', 'review', 'crane', 'valves', 'dock', 'invoice']
const SANDBOX = { userId: 'usr_1', sandboxId: 'sbx_1' }
const MIB = 2 ** 20

let folder: string
let stores: LanceStores
let threads: RankThreads
let said: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-threads-'))
  stores = new LanceStores({ uri: folder })
  said = []
  threads = new RankThreads(
    2,
    openLog('warn', systemClock, (line) => said.push(line)),
    // Long enough that no thread times out on a slow machine.
    { recordsMin: 1, answerMsMax: 3_600_000 },
  )
})

afterEach(async () => {
  await threads.close()
  stores.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(settings: { graphBytesMax?: number; threads?: undefined } = {}): Knowledge {
  const log = openLog('warn', systemClock, (line) => said.push(line))
  return new Knowledge(stores, async () => undefined, log, { threads, snapshotKey: new Uint8Array(32), ...settings })
}

function recordOf(number: number, seed: number, live: boolean): RecordRow {
  const words = WORDS.map((_, at) => WORDS[(seed * (at + 3) + number) % WORDS.length])
  const text = `Team ${number % 9} says ${words.join(' ')} of version ${seed}.`
  const content = { external_id: `${number}`, type: 'note', text }
  const origin = { sourceId: 'src_1', provider: 'test' }
  const record = { content, origin, projectId: null, things: [], mentioned: [] }
  const key = recordKey('src_1', content.external_id)
  return { ...toRecordRow(`rec_${number}`, key, record, encodeContent(content), plainKeyHash), live }
}

function commit(head: Head, from: number, to: number, seed: number, live = true): Promise<Head> {
  const records = Array.from({ length: to - from }, (_, at) => recordOf(from + at, seed, live))
  return stores.open(SANDBOX.userId, SANDBOX.sandboxId).commit(head, { records, entities: [], links: [] })
}

const here = ({ graph }: SandboxView) => QUESTIONS.map((question) => graph.rank(question, null, 20))
const there = ({ ranking }: SandboxView) =>
  Promise.all(QUESTIONS.map((question) => ranking.candidates(question, null, 20)))

/** Waits until questions of a view are ranked on threads, which shows in the memory held. */
async function onThreads(knowledge: Knowledge, head: Head): Promise<SandboxView> {
  const bytes = knowledge.graphs.stats().bytes
  await expect
    .poll(async () => {
      await there(await knowledge.view(SANDBOX, head))
      await knowledge.view(SANDBOX, head)
      return knowledge.graphs.stats().bytes
    })
    .toBeGreaterThan(bytes)
  return knowledge.view(SANDBOX, head)
}

test('through commits, deletions and questions, threads answer like a rebuilt index', async () => {
  const knowledge = open()
  let head = await commit(EMPTY_HEAD, 0, 300, 1)
  await knowledge.view(SANDBOX, head)
  await onThreads(knowledge, head)
  for (let round = 0; round < 8; round += 1) {
    const asked = Array.from({ length: 6 }, async () => there(await knowledge.view(SANDBOX, head)))
    head = await commit(head, round * 20, round * 20 + (round % 3 === 2 ? 200 : 40), round + 2, round % 4 !== 3)
    knowledge.committed(SANDBOX, head)
    await Promise.all(asked)
    const view = await knowledge.view(SANDBOX, head)
    const anew = await open({ threads: undefined }).view(SANDBOX, head)
    expect(await there(view)).toEqual(here(anew))
    expect(view.head.seq).toBe(head.seq)
  }
  expect(said).toEqual([])
})

test('an index from a snapshot is ranked on threads, and continues with later commits', async () => {
  let head = await commit(EMPTY_HEAD, 0, 300, 1)
  const first = open()
  await first.view(SANDBOX, head)
  expect(await first.graphs.writeSnapshot(SANDBOX, 'one', undefined, () => undefined)).toMatchObject({ seq: head.seq })
  head = { ...(await commit(head, 280, 320, 2)), graphImage: 'one' }
  const second = open()
  await second.view(SANDBOX, head)
  const view = await onThreads(second, head)
  expect(await there(view)).toEqual(here(view))
  expect(said).toEqual([])
})

test('the memory of threads counts as memory of the index, and is released with it', async () => {
  const knowledge = open({ graphBytesMax: 64 * MIB })
  const head = await commit(EMPTY_HEAD, 0, 300, 1)
  await knowledge.view(SANDBOX, head)
  const view = await onThreads(knowledge, head)
  knowledge.forget(SANDBOX)
  expect(knowledge.graphs.stats().bytes).toBe(0)
  expect(await there(view)).toEqual(here(view))
})

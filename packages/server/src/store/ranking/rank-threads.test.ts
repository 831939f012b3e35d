import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { codeOf, createRecordGraph, type RecordGraph } from '@cairnstore/engine/rank'
import { analyseRecord, plainKeyHash as hash } from '@cairnstore/engine/text'
import { analyseQuestion } from '@cairnstore/engine/understand'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import type { Log } from '../../base/log.ts'
import { NoThreadAvailable, RankThreads, rankingOf } from './rank-threads.ts'
import type { ThreadedGraph } from './threaded-graph.ts'

/** Enough records that every question finds several. `recordsMin` makes threads rank graphs of any size. */
const RECORDS = 300
const DIMENSIONS = 64
const LOOK_MS = 10
const SUBJECTS = 'ferry importer canteen oven lift printer harbour ledger parcel invoice'.split(' ')
const PLACES = 'Rotterdam Tallinn Porto Lyon Bergen Gdansk Cork'.split(' ')
const QUESTIONS = [
  'Which ferry waits in Rotterdam?',
  'invoice of the importer',
  'What of Tallinn and the oven 17?',
  'lift',
]
/** Long enough that no thread times out on a slow machine. */
const PATIENT = { recordsMin: 1, answerMsMax: 3_600_000 }

const warned: string[] = []
const log = { warn: (message: string) => void warned.push(message) } as unknown as Log
const opened: RankThreads[] = []

/** Threads load the whole engine, so most tests share one. Tests that need several at once share two. */
const [one, two] = [1, 2].map((count) => openThreads(count)) as [RankThreads, RankThreads]

afterEach(() => {
  warned.length = 0
})
afterAll(() => Promise.all(opened.map((threads) => threads.close())))

function openThreads(count: number, bounds = {}): RankThreads {
  const threads = new RankThreads(count, log, { ...PATIENT, ...bounds })
  opened.push(threads)
  return threads
}

function put(graph: RecordGraph, number: number): void {
  const at = (list: readonly string[], step: number) => list[(number * step) % list.length]!
  const text = `The ${at(SUBJECTS, 7)} of ${at(PLACES, 3)} met the ${at(SUBJECTS, 3)} number ${number % 211}.`
  const id = `rec_${number.toString(32).padStart(26, '0')}`
  const key = hash(id)
  graph.putRecord({
    ...{ id, seq: number, sourceId: number % 2 ? 'src_1' : 'src_2', projectId: null, type: 'note' },
    ...{ occurredAtMs: number * 60_000, tie: key, externalKey: key },
    analysis: analyseRecord({ text, declared: [] }, hash),
  })
  graph.putVectors({ recordId: id, recordSeq: number, row: number, codes: [codeOf(vectorOf(number))] })
}

function vectorOf(number: number): Int8Array {
  return Int8Array.from({ length: DIMENSIONS }, (_, at) => ((number * 31 + at * at * 7) % 255) - 127)
}

function graphOf(records: number): RecordGraph {
  const graph = createRecordGraph()
  for (let number = 0; number < records; number += 1) put(graph, number)
  return graph
}

/** Asks periodically. A loop without a pause would starve the thread that starts. */
async function isReady(threaded: ThreadedGraph): Promise<void> {
  while (!(await isAnswered(threaded))) await sleep(LOOK_MS)
}

function rank(threaded: ThreadedGraph): Promise<unknown> | undefined {
  return threaded.ask('rank', [analyseQuestion(QUESTIONS[3]!, [], hash), null, 1])
}

/** Returns true if a thread answers. */
async function isAnswered(threaded: ThreadedGraph): Promise<boolean> {
  const answer = await rank(threaded)?.catch(() => undefined)
  return answer !== undefined
}

const SCOPES = [null, { projectId: 'prj_1', sourceIds: new Set(['src_1']) }]

/** Returns a graph's answers to all questions in all scopes, one after the other. */
async function answers(graph: RecordGraph, threaded?: ThreadedGraph): Promise<string> {
  const asking = rankingOf(graph, () => threaded)
  const tuples = [graph.list({}, null, undefined, 3).map(({ id }) => id)]
  const times = { ranges: [{ fromMs: 0, toMs: 3_600_000 }] }
  const all = SCOPES.flatMap((scope) => [
    ...QUESTIONS.flatMap((text) => {
      const question = analyseQuestion(text, [], hash)
      return [
        asking.candidates(question, scope, 20, { explain: true }),
        asking.candidates(question, scope, 20, { times }),
        asking.pinned(question, scope, tuples, 5),
      ]
    }),
    asking.nearest(vectorOf(5), scope, 30),
  ])
  return JSON.stringify(await Promise.all(all))
}

test('threads return exactly what the index itself returns, before and after it changes', async () => {
  const graph = graphOf(RECORDS)
  const threaded = two.open(graph)
  await isReady(threaded)
  expect(await answers(graph, threaded)).toBe(await answers(graph))
  for (const change of [
    () => put(graph, RECORDS),
    () => put(graph, 7),
    () => {
      for (let number = RECORDS; number < RECORDS * 2; number += 1) put(graph, number)
    },
    () => {
      for (const { id } of graph.list({}, null, undefined, RECORDS)) graph.removeRecord(id)
    },
    () => put(graph, 11),
  ]) {
    const release = await threaded.lock()
    change()
    release()
    const there = await answers(graph, threaded)
    expect(there).toBe(await answers(graph))
    expect(there.length).toBeGreaterThan(1_000)
  }
  expect(threaded.workingBytes).toBeGreaterThan(0)
  expect(warned).toEqual([])
})

test('questions run concurrently on threads, not on the serving thread', async () => {
  const graph = graphOf(RECORDS)
  const threaded = two.open(graph)
  await isReady(threaded)
  const here = graph.rank
  graph.rank = () => expect.unreachable('ranked on the thread that serves')
  const question = analyseQuestion(QUESTIONS[0]!, [], hash)
  const ranking = rankingOf(graph, () => threaded)
  const found = await Promise.all(Array.from({ length: 20 }, () => ranking.candidates(question, null, 10)))
  graph.rank = here
  expect(found).toEqual(Array(20).fill(graph.rank(question, null, 10)))
})

test('a request that fails, hangs or crashes on a thread runs on the serving one; a new thread starts', async () => {
  const graph = graphOf(RECORDS)
  const question = analyseQuestion(QUESTIONS[0]!, [], hash)
  const expected = graph.rank(question, null, 10)
  const failing = one.open(graph)
  await isReady(failing)
  await expect(failing.ask('nothing' as 'rank', [question, null, 10])).rejects.toThrow(NoThreadAvailable)
  expect(warned).toEqual(['a ranking thread failed'])
  for (const bounds of [{ answerMsMax: 0 }, { heapMibMax: 1 }]) {
    warned.length = 0
    const threaded = openThreads(1, bounds).open(graph)
    await expect
      .poll(async () => {
        expect(await rankingOf(graph, () => threaded).candidates(question, null, 10)).toEqual(expected)
        return warned
      })
      .toContain('a ranking thread ended')
  }
})

test('no request waits for a thread to start, and the first question of an index starts none', async () => {
  const graph = graphOf(RECORDS)
  const threaded = openThreads(1).open(graph)
  const share = vi.spyOn(graph, 'share')
  const first = rankingOf(graph, () => threaded)
  const question = analyseQuestion(QUESTIONS[0]!, [], hash)
  for (let times = 0; times < 2; times += 1) await first.candidates(question, null, 10)
  await first.nearest(vectorOf(1), null, 10)
  expect(share).not.toHaveBeenCalled()
  await expect.poll(() => rank(threaded)?.catch((error: unknown) => error)).toBeInstanceOf(NoThreadAvailable)
  await isReady(threaded)
})

test('an aborted caller stops waiting, and concurrent callers are answered', async () => {
  const graph = graphOf(RECORDS)
  const threaded = one.open(graph)
  await isReady(threaded)
  const question = analyseQuestion(QUESTIONS[0]!, [], hash)
  const ranking = rankingOf(graph, () => threaded)
  const gone = new AbortController()
  const [first, left, last] = [undefined, gone.signal, undefined].map((signal) =>
    ranking.candidates(question, null, 10, { signal }),
  )
  gone.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(await first).toEqual(await last)
  await expect(ranking.candidates(question, null, 10, { signal: gone.signal })).rejects.toThrow('gone')
})

test('a change waits for running reads, and new reads wait for the change', async () => {
  const graph = graphOf(RECORDS)
  const threaded = one.open(graph)
  await isReady(threaded)
  const order: string[] = []
  const ranking = rankingOf(graph, () => threaded)
  const question = analyseQuestion('quixotic', [], hash)
  const before = ranking.candidates(question, null, 10).then((found) => void order.push(`before ${found.length}`))
  const holding = threaded.lock()
  const after = ranking.candidates(question, null, 10).then((found) => void order.push(`after ${found.length}`))
  const release = await holding
  order.push('changed')
  const key = hash('rec_x')
  const analysis = analyseRecord({ text: 'Quixotic', declared: [] }, hash)
  const of = { sourceId: null, projectId: null, type: 'note', occurredAtMs: null }
  graph.putRecord({ id: 'rec_x', ...of, tie: key, externalKey: key, analysis })
  release()
  await Promise.all([before, after])
  expect(order).toEqual(['before 0', 'changed', 'after 1'])
})

test('the questions of one index do not delay those of another', async () => {
  const [busy, quiet] = [one.open(graphOf(RECORDS)), one.open(graphOf(RECORDS))]
  await isReady(busy)
  await isReady(quiet)
  const question = analyseQuestion(QUESTIONS[0]!, [], hash)
  let answered = 0
  const burst = Array.from({ length: 30 }, () => busy.ask('rank', [question, null, 10])?.then(() => (answered += 1)))
  await quiet.ask('rank', [question, null, 10])
  expect(answered).toBeLessThan(5)
  await Promise.all(burst)
})

test('a dropped index is never asked on a thread again, and a small one never is', async () => {
  const graph = graphOf(RECORDS)
  const threaded = one.open(graph)
  await isReady(threaded)
  const question = analyseQuestion(QUESTIONS[0]!, [], hash)
  const asked = [1, 2, 3].map(() => rankingOf(graph, () => threaded).candidates(question, null, 10))
  threaded.forget()
  expect(threaded.ask('rank', [question, null, 10])).toBeUndefined()
  expect(await Promise.all(asked)).toEqual(Array(3).fill(graph.rank(question, null, 10)))
  expect(threaded.workingBytes).toBe(0)
  const small = openThreads(1, { recordsMin: RECORDS + 1 }).open(graphOf(RECORDS))
  await setImmediate()
  expect(small.ask('rank', [question, null, 10])).toBeUndefined()
})

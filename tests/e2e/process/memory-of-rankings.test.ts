import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, createRecordGraph, type RecordGraph } from '@cairnstore/engine/rank'
import { analyseRecord, plainKeyHash as hash } from '@cairnstore/engine/text'
import { expect, it } from 'vitest'
import type { Log } from '../../../packages/server/src/base/log.ts'
import { RankThreads } from '../../../packages/server/src/store/ranking/rank-threads.ts'
import type { ThreadedGraph } from '../../../packages/server/src/store/ranking/threaded-graph.ts'

const RECORDS = 12_000
const DIMENSIONS = 64
/** Maximum number of graphs held by a thread. */
const HELD = 5
const LOOK_MS = 10
/** Timeout that no thread reaches, even on a slow machine. */
const PATIENT = { recordsMin: 1, answerMsMax: 3_600_000 }

function vectorOf(number: number): Int8Array {
  return Int8Array.from({ length: DIMENSIONS }, (_, at) => ((number * 31 + at * at * 7) % 255) - 127)
}

function graphOf(records: number): RecordGraph {
  const graph = createRecordGraph()
  for (let number = 0; number < records; number += 1) {
    const id = `rec_${number.toString(32).padStart(26, '0')}`
    const key = hash(id)
    const text = `The parcel of dock ${number % 97} met the ferry number ${number % 211}.`
    graph.putRecord({
      ...{ id, seq: number, sourceId: 'src_1', projectId: null, type: 'note' },
      ...{ occurredAtMs: number * 60_000, tie: key, externalKey: key },
      analysis: analyseRecord({ text, declared: [] }, hash),
    })
    graph.putVectors({ recordId: id, recordSeq: number, row: number, codes: [codeOf(vectorOf(number))] })
  }
  return graph
}

const nearest = (graph: ThreadedGraph, number: number) => graph.ask('nearest', [vectorOf(number), null, 20])

async function untilAnswered(graph: ThreadedGraph): Promise<void> {
  while ((await nearest(graph, 0)?.catch(() => undefined)) === undefined) await sleep(LOOK_MS)
}

it('threads release the memory of graphs', async () => {
  const graph = graphOf(RECORDS)
  const threads = new RankThreads(1, { warn: () => undefined } as unknown as Log, PATIENT)
  const held: ThreadedGraph[] = []
  let taken = 0
  const goThrough = async (count: number) => {
    for (let round = 0; round < count; round += 1) {
      const threaded = threads.open(createRecordGraph(graph.toSnapshot()))
      held.push(threaded)
      await untilAnswered(threaded)
      for (let asked = 0; asked < 20; asked += 1) await nearest(threaded, asked)
      if (held.length > HELD) held.shift()!.forget()
      taken += graph.bytes
    }
  }
  try {
    await goThrough(25)
    const [before, takenBefore] = [process.memoryUsage.rss(), taken]
    await goThrough(50)
    expect(process.memoryUsage.rss() - before).toBeLessThan((taken - takenBefore) / 2)
  } finally {
    await threads.close()
  }
})

import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { createRecordGraph } from './record-graph.ts'

const DAY_MS = 86_400_000
const ALL = analyseQuestion('Summarize the week', [], hash)

/** Creates a graph of records by id, each with the day it occurred, its text and its project. */
function graphOf(records: Record<string, [number | null, string, string?]>) {
  const graph = createRecordGraph()
  for (const [id, [day, text, projectId = null]] of Object.entries(records)) {
    const analysis = analyseRecord({ title: '', text, declared: [], own: undefined }, hash)
    const occurredAtMs = day === null ? null : day * DAY_MS
    const record = { id, sourceId: 's', projectId, type: 'note', occurredAtMs }
    graph.putRecord({ ...record, tie: hash(text), externalKey: hash(`ref:${id}`), analysis })
  }
  const days = (from: number, to: number) => ({ ranges: [{ fromMs: from * DAY_MS, toMs: to * DAY_MS }], isAll: true })
  const of = (from: number, to: number, projectId?: string) => {
    const scope = projectId === undefined ? null : { projectId, sourceIds: new Set<string>() }
    return graph.rank(ALL, scope, 10, days(from, to)).map(({ id }) => id)
  }
  return { of }
}

test('a question for a time only returns all records of it and no others, the most connected first', () => {
  const { of } = graphOf({
    before: [1, 'Ana Lima checked the gate.'],
    alone: [5, 'The coffee machine is back.'],
    bridge: [5, 'Harbour Bridge is closed.'],
    crew: [6, 'Ana Lima and the crew are at Harbour Bridge.'],
    ana: [6, 'Ana Lima reports at noon.'],
    untimed: [null, 'The bridge over the harbour is old.'],
  })
  const found = of(5, 7)
  expect(found.toSorted()).toEqual(['alone', 'ana', 'bridge', 'crew'])
  expect([found[0], found.at(-1)]).toEqual(['crew', 'alone'])
  expect(of(8, 9)).toEqual([])
})

test('the scope holds, and times before 1970 are times', () => {
  const { of } = graphOf({ ours: [-9_000, 'Ana Lima came.', 'p'], theirs: [-9_000, 'Ana Lima left.', 'q'] })
  expect(of(-9_001, -8_999, 'p')).toEqual(['ours'])
  expect(of(-9_001, -8_999).toSorted()).toEqual(['ours', 'theirs'])
})

import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { RECORDS_MAX } from './postings.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'
import { GraphFull, putRecord, remainingDocs } from './records.ts'
import { createStore } from './store.ts'

/** Number of removals that completes a sweep, so that ordinals are reused. */
const REMOVALS = 400

const keyOf = (name: string) => hash(`ref:${name}`)

function put(graph: RecordGraph, id: string, name: string, thread?: string): void {
  const turn = {
    conversation: thread === undefined ? undefined : `ref:${thread}`,
    isLoose: false,
    asks: false,
    endsAsking: false,
    position: 0,
    author: 'name:person:ada',
  }
  graph.putRecord({
    id,
    sourceId: 's',
    projectId: null,
    type: 'message',
    occurredAtMs: null,
    tie: hash(id),
    externalKey: keyOf(name),
    analysis: analyseRecord({ text: `Nothing new of ${name}.`, declared: [], turn }, hash),
  })
}

test('a record is found by its own key, whatever else is in its thread', () => {
  const graph = createRecordGraph()
  for (let at = 0; at < REMOVALS; at++) put(graph, `reply_${at}`, `reply ${at}`, 'first')
  expect(graph.recordWithKey(keyOf('first'))).toBeUndefined()
  put(graph, 'begins', 'first')
  for (let at = 0; at < REMOVALS; at++) put(graph, `later_${at}`, `later ${at}`, 'first')
  expect(graph.recordWithKey(keyOf('first'))).toBe('begins')
  expect(graph.recordWithKey(keyOf('reply 7'))).toBe('reply_7')
  expect(graph.recordWithKey(keyOf('nothing'))).toBeUndefined()
})

test('a removed record and its replacement are not found by its key, and another record is', () => {
  const graph = createRecordGraph()
  for (let at = 0; at < REMOVALS; at++) put(graph, `rec_${at}`, `${at}`)
  for (let at = 0; at < REMOVALS; at++) {
    graph.removeRecord(`rec_${at}`)
    put(graph, `other_${at}`, `other ${at}`)
  }
  put(graph, 'rec_again', '3')
  put(graph, 'rec_again', '3')
  for (let at = 0; at < REMOVALS; at++) {
    expect(graph.recordWithKey(keyOf(`${at}`))).toBe(at === 3 ? 'rec_again' : undefined)
    expect(graph.recordWithKey(keyOf(`other ${at}`))).toBe(`other_${at}`)
  }
})

test('a graph that counts no more records says so, and how many it has place for', () => {
  const store = createStore()
  expect(remainingDocs(store)).toBe(RECORDS_MAX)
  Object.assign(store, { docIdLimit: RECORDS_MAX, freeDocIds: [] })
  expect(remainingDocs(store)).toBe(0)
  const analysis = analyseRecord({ text: 'One more.', declared: [] }, hash)
  const record = { sourceId: null, projectId: null, type: 'note', occurredAtMs: null, tie: 1, externalKey: 1, analysis }
  expect(() => putRecord(store, { id: 'rec_1', ...record })).toThrow(GraphFull)
})

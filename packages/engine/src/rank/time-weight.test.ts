import { describe, expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'
import type { Scope } from './scope-view.ts'

describe('a time in the question', () => {
  const DAY_MS = 86_400_000
  const graphOf = (days: readonly (number | null)[]): RecordGraph => {
    const graph = createRecordGraph()
    for (const [at, day] of days.entries()) {
      const text = `The gate jammed${' at the depot gate'.repeat(days.length - at)}.`
      const occurredAtMs = day === null ? null : day * DAY_MS
      const analysis = analyseRecord({ title: '', text, declared: [], own: undefined }, hash)
      graph.putRecord({
        id: `rec_${at}`,
        sourceId: 's',
        projectId: null,
        type: 'note',
        occurredAtMs,
        tie: hash(text),
        externalKey: hash(`ref:${at}`),
        analysis,
      })
    }
    return graph
  }
  const question = analyseQuestion('depot gate', [], hash)
  const idsOf = (graph: RecordGraph, time?: { fromMs: number; toMs: number }) =>
    graph.rank(question, null, 100, time && { ranges: [time] }).map(({ id }) => id)

  test('lifts what occurred then over what fits better, and loses nothing', () => {
    const graph = graphOf([...Array.from({ length: 80 }, () => 1), null, 9])
    const time = { fromMs: 9 * DAY_MS, toMs: 10 * DAY_MS }
    expect(idsOf(graph)[0]).not.toBe('rec_81')
    expect(idsOf(graph, time).slice(0, 2)).toEqual(['rec_81', 'rec_80'])
    expect(idsOf(graph, time).sort()).toEqual(idsOf(graph).sort())
  })

  test('prefers records after the time to records before it', () => {
    const time = { fromMs: 5 * DAY_MS, toMs: 6 * DAY_MS }
    expect(idsOf(graphOf([1, 9, 5]))).toEqual(['rec_0', 'rec_1', 'rec_2'])
    expect(idsOf(graphOf([1, 9, 5]), time)).toEqual(['rec_2', 'rec_1', 'rec_0'])
  })

  test('may be several, each as good as the other', () => {
    const graph = graphOf([1, 5, 9])
    const day = (at: number) => ({ fromMs: at * DAY_MS, toMs: (at + 1) * DAY_MS })
    const found = graph.rank(question, null, 100, { ranges: [day(9), day(5)] })
    expect(found.map(({ id }) => id)).toEqual(['rec_1', 'rec_2', 'rec_0'])
  })

  test('does not change the ranking if every record is from that time', () => {
    const graph = graphOf([1, 2, 3])
    const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
    expect(graph.rank(question, null, 100, { ranges: [always] })).toEqual(graph.rank(question, null, 100))
  })

  test('changes nothing where the signal is left out', () => {
    const graph = graphOf([1, 9, 5])
    const time = { ranges: [{ fromMs: 5 * DAY_MS, toMs: 6 * DAY_MS }] }
    const without = { without: ['time' as const] }
    expect(graph.rank(question, null, 100, time, without)).toEqual(graph.rank(question, null, 100))
    expect(graph.rank(question, null, 100, { ...time, isAll: true }, without)).toEqual(graph.rank(question, null, 100))
  })

  test('considers only records in scope that have a time', () => {
    const scope: Scope = { projectId: 'other', sourceIds: new Set() }
    const day = { fromMs: DAY_MS, toMs: 2 * DAY_MS }
    expect(graphOf([1]).occursIn(day, null)).toBe(true)
    expect(graphOf([1]).occursIn(day, scope)).toBe(false)
    expect(graphOf([0, 2, null]).occursIn(day, null)).toBe(false)
  })
})

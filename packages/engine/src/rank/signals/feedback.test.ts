import { expect, test } from 'vitest'
import { analyseRecord } from '../../text/analyse-record.ts'
import { plainKeyHash as hash, nameKey } from '../../text/names.ts'
import { analyseQuestion } from '../../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from '../record-graph.ts'

function put(graph: RecordGraph, id: string, text: string, projectId: string | null = null): void {
  const analysis = analyseRecord({ text, declared: [] }, hash)
  const base = { sourceId: 's', projectId, type: 'note', occurredAtMs: null }
  graph.putRecord({ ...base, id, tie: hash(id), externalKey: hash(`ref:${id}`), analysis })
}

const ABOUT = [
  'flutter of thin wings and panel vibration at high speed',
  'flutter of wings with panel vibration in a tunnel',
  'wings: flutter, measured as panel vibration in a tunnel',
]
/**
 * A text with a word of the question that no leading record has. A leading record with all words would disable the
 * feedback.
 */
const ELSEWHERE = 'the gliders were sold last year'
const NOISE = [ELSEWHERE, ...Array.from({ length: 60 }, (_, at) => `note ${at} on budget line ${at} and its review`)]
/** Both texts contain one word of the question. One also has the terms that the relevant records share. */
const ALIKE = 'thin wings that suffer panel vibration today'
const OTHER = 'thin wings that carry paper labels and today'

function graphOf(texts: readonly string[], projectId: string | null = null, into = createRecordGraph()): RecordGraph {
  for (const text of texts) put(into, `${projectId ?? ''}${text}`, text, projectId)
  return into
}

const ranked = (graph: RecordGraph, projectId: string | null = null) =>
  graph.rank(
    analyseQuestion('what is flutter of wings on gliders', [], hash),
    projectId === null ? null : { projectId, sourceIds: new Set() },
    100,
  )

test('of records with the same words of the question, one that is like the best comes first', () => {
  const ids = ranked(graphOf([...ABOUT, OTHER, ALIKE, ...NOISE])).map(({ id }) => id)
  expect(ids.slice(0, 3).sort()).toEqual([...ABOUT].sort())
  expect(
    ids
      .slice(3)
      .filter((id) => id !== ELSEWHERE)
      .slice(0, 2),
  ).toEqual([ALIKE, OTHER])
})

test('common terms of the best records are counted only in scope', () => {
  const alone = graphOf([...ABOUT, OTHER, ALIKE, ...NOISE], 'prj_a')
  const frequent = Array.from({ length: 200 }, (_, at) => `panel vibration report ${at}`)
  const among = graphOf(frequent, 'prj_b', graphOf([...ABOUT, OTHER, ALIKE, ...NOISE], 'prj_a'))
  expect(ranked(among, 'prj_a')).toEqual(ranked(alone, 'prj_a'))
})

test('records that were removed are no longer counted', () => {
  const expected = ranked(graphOf([...ABOUT, OTHER, ALIKE, ...NOISE]))
  const frequent = Array.from({ length: 100 }, (_, at) => `panel vibration report ${at}`)
  const graph = graphOf([...frequent, ...ABOUT, OTHER, ALIKE, ...NOISE])
  for (const text of frequent) graph.removeRecord(text)
  expect(ranked(graph)).toEqual(expected)
})

test('records linked by a name that contain no word of the question are ranked by the name', () => {
  const graph = graphOf(NOISE)
  const person = [nameKey('Ada Quist')]
  for (const text of ABOUT) {
    const analysis = analyseRecord({ text, declared: [{ keys: person }] }, hash)
    const base = { sourceId: 's', projectId: null, type: 'note', occurredAtMs: null, tie: hash(text) }
    graph.putRecord({ ...base, id: text, externalKey: hash(`ref:${text}`), analysis })
  }
  graph.putEntity({ id: 'ent_ada', type: 'person', keys: person.map(hash) })
  const scores = graph.rank(analyseQuestion('Ada Quist', [], hash), null, 10).map(({ score }) => score)
  expect(scores).toHaveLength(ABOUT.length)
  expect(scores.every((score) => score > 0 && score <= 1)).toBe(true)
})

import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'

/** Creates a graph of texts without declarations and titles. The id of each record is its text. */
function load(texts: readonly string[]): RecordGraph {
  const graph = createRecordGraph()
  for (const text of texts) {
    const base = { sourceId: 's', projectId: null, type: 'note', occurredAtMs: null, tie: hash(text) }
    const analysis = analyseRecord({ text, declared: [] }, hash)
    graph.putRecord({ ...base, id: text, externalKey: hash(`ref:${text}`), analysis })
  }
  return graph
}

const BRIDGE = 'The Silver Lantern is a drama of two acts that Mira Holt wrote for a small stage at the harbour.'
const ABOUT = 'Mira Holt was raised on an island among fishermen and came to law late, after years in a bank.'
const MENTION = 'An old judge thanked Mira Holt.'
const NOISE = Array.from({ length: 40 }, (_, at) => `Lesson ${at}: the author of play ${at} did live there as a child.`)

const found = (graph: RecordGraph, question: string) =>
  graph.rank(analyseQuestion(question, [], hash), null, 2).map(({ id }) => id)

test('without titles, a name shared by the question and one text links to the names in that text', () => {
  const graph = load([BRIDGE, MENTION, ...NOISE, ABOUT])
  expect(found(graph, 'Where did the author of the play The Silver Lantern live as a child?')).toEqual([BRIDGE, ABOUT])
})

test('a name that several texts share and no entity owns is not among the entities that a question names', () => {
  const graph = load([BRIDGE, MENTION, ABOUT])
  const question = analyseQuestion('Who is Mira Holt?', [], hash)
  expect(graph.entitiesNamed(question, null)).toEqual([])
  expect(graph.rank(question, null, 1)).toMatchObject([{ entityIds: [], matched: [] }])
})

test('stop words link to nothing, however few records write them as a name', () => {
  const graph = load(['He sang Who Is at the harbour.', 'She hums Who Is to the ferry.', BRIDGE, ...NOISE])
  const question = analyseQuestion('Who is the author of play 7?', [], hash)
  const byWords = graph.rank(question, null, 40, undefined, { without: ['names'] })
  expect(graph.rank(question, null, 40)).toEqual(byWords)
})

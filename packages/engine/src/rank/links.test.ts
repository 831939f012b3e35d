import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash, nameKey, titleNames } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'

/** Creates a graph of pages. Each page declares an entity named by its title. */
function load(pages: Readonly<Record<string, string>>): RecordGraph {
  const graph = createRecordGraph()
  for (const [title, text] of Object.entries(pages)) {
    const { full, aliases } = titleNames(title)
    const keys = [`ref:${title}`, ...[full, ...aliases].map(nameKey)]
    graph.putRecord({
      id: title,
      sourceId: null,
      projectId: null,
      type: 'page',
      occurredAtMs: null,
      tie: hash(title),
      externalKey: hash(`ref:${title}`),
      analysis: analyseRecord({ title, text, declared: [{ keys }], own: `ref:${title}` }, hash),
    })
    graph.putEntity({ id: title, type: 'page', keys: keys.map(hash) })
  }
  return graph
}

test('a name inside a longer one counts when no page is about the longer one', () => {
  const graph = load({
    'William Reyes': 'He keeps the ledger.',
    'Harbor fees': 'Treasurer William Reyes set them.',
    'Crane dues': 'Treasurer William Reyes raised them.',
  })
  expect(graph.entitiesOf('Harbor fees', null)).toEqual(['Harbor fees', 'William Reyes'])
  expect(graph.recordsOf('William Reyes', null, 9).sort()).toEqual(['Crane dues', 'Harbor fees', 'William Reyes'])
})

test('a longer name that begins later is read before a shorter one that shares a word with it', () => {
  const graph = load({
    'Port Lena': 'A town.',
    'Lena Fors of Quay': 'She runs the cranes.',
    Voyage: 'They left Port Lena Fors of Quay at noon.',
  })
  expect(graph.entitiesOf('Voyage', null)).toEqual(['Voyage', 'Lena Fors of Quay'])
  const named = graph.entitiesNamed(analyseQuestion('Which came to port, Lena Fors of Quay?', [], hash), null)
  expect(named).toEqual(['Lena Fors of Quay'])
})

test('a name with a comma inside is found as its page has it', () => {
  const graph = load({
    'Henrik, Warden of the Lock': 'He was born in the tower.',
    Gates: 'They were built by Henrik, Warden of the Lock and his sons.',
    Boats: 'They were sold by Ada, Henrik, Omar and Lena.',
  })
  expect(graph.recordsOf('Henrik, Warden of the Lock', null, 9)).toEqual(['Henrik, Warden of the Lock', 'Gates'])
})

test('a name that several pages have means, on one of them, that page', () => {
  const graph = load({
    'Falcon (crane)': 'The Falcon lifts stone.',
    'Falcon (ferry)': 'The Falcon sails at noon.',
    Yard: 'The Falcon was painted.',
  })
  expect(graph.entitiesOf('Falcon (crane)', null)).toEqual(['Falcon (crane)'])
  expect(graph.recordsOf('Falcon (ferry)', null, 9)).toEqual(['Falcon (ferry)', 'Yard'])
  expect(graph.countRecordsOf('Falcon (ferry)', null)).toBe(2)
})

import { expect, test } from 'vitest'
import { createRecordGraph } from '../rank/record-graph.ts'
import type { Scope } from '../rank/scope-view.ts'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { respell } from './respell.ts'

const TEXTS = [
  'Marguerite Dupont wrote the deployment handbook of the harbour.',
  'Summaries and noting: the police received the invoices even later than the auditors.',
  'Погрузка вагонов начинается утром.',
  'Die Schrauben und Muttern liegen im Lager.',
  'Every night, a batch of notes is printed.',
]
const HIDDEN = 'The quarterly forecast is secret.'

const graph = createRecordGraph()
for (const text of [...TEXTS, HIDDEN]) {
  graph.putRecord({
    id: text,
    sourceId: 's',
    projectId: text === HIDDEN ? 'prj_hidden' : 'prj_open',
    type: 'note',
    occurredAtMs: null,
    tie: hash(text),
    externalKey: hash(`ref:${text}`),
    analysis: analyseRecord({ text, declared: [] }, hash),
  })
}
const open: Scope = { projectId: 'prj_open', sourceIds: null }
const read = (query: string, scope: Scope | null = null) => respell(query, { graph, hash }, scope).text

test.each([
  ['Who wrote the deplyoment handbook?', 'Who wrote the deployment handbook?'],
  ['What did Margerite Dupont write?', 'What did Marguerite Dupont write?'],
  ['what did margurite dupont write', 'what did marguerite dupont write'],
  ['Were the invoices RECIEVED?', 'Were the invoices RECEIVED?'],
])('one slip of the pen is read as the word that records hold: %s', (query, text) => expect(read(query)).toBe(text))

test.each([
  'Which policy holds for the event?',
  'Who wrote the deployment handbooks?',
  'What is the naïve estimate of Zürich?',
  'Is ORD-4412 paid?',
  'Summarise what nothing else says.',
])('another word that looks alike, a form of a known one and what is no word stay: %s', (query) =>
  expect(respell(query, { graph, hash }, null)).toEqual({ text: query }),
)

test('a word without a space, or in another form than records hold, is read as theirs', () => {
  expect(read('Schraube Lager')).toBe('Schrauben Lager')
  expect(read('is the nightbatch printed')).toBe('is the night batch printed')
})

test('a name is corrected only to another name, never to an inflection or to two words', () => {
  expect(read('What did Margurite write?')).toBe('What did Marguerite write?')
  for (const query of [
    'Who is in charge of Nightbatch?',
    'Where is Schraube?',
    'Who owns Harbor?',
    'Did Duponts call?',
  ])
    expect(read(query)).toBe(query)
})

test('a form that the question looks for by its language, and a word in mixed case whose parts are held, stay', () => {
  expect(read('Wo ist die Schraube?')).toBe('Wo ist die Schraube?')
  expect(read('NightBatch')).toBe('NightBatch')
})

test('a word of the dictionary, and one of a language without a dictionary here, is never changed', () => {
  const isWord = (word: string) => ['deployments', 'summary', 'received', 'polite'].includes(word)
  const view = { graph, hash, isWord }
  for (const query of ['Is that polite?', 'Какой день погрузка вагнов?', 'Wo liegen die Schraubenn und Mutern?'])
    expect(respell(query, view, null)).toEqual({ text: query })
  expect(respell('Were the invoices recieved politely?', view, null).text).toBe('Were the invoices received politely?')
})

test('how a word is read is said', () => {
  expect(respell('Who wrote the deplyoment handbook?', { graph, hash }, null).note).toBe(
    'No record has the word, so “deplyoment” is read as “deployment”.',
  )
})

test('a word of records out of scope is not given away', () => {
  const query = 'What is the quaterly forecast?'
  expect(read(query)).toBe('What is the quarterly forecast?')
  expect(read(query, open)).toBe(query)
})

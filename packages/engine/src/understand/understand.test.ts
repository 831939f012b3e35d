import { expect, test } from 'vitest'
import { createRecordGraph } from '../rank/record-graph.ts'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash, nameKey } from '../text/names.ts'
import { describeIntent, understand, withEvent } from './understand.ts'

const AT_MS = Date.UTC(2026, 5, 16, 9)
const graph = createRecordGraph()
graph.putEntity({ id: 'ent_mira', type: 'person', keys: [hash(nameKey('Mira Holt'))] })
graph.putEntity({ id: 'ent_atlas', type: 'service', keys: [hash(nameKey('Atlas'))] })
const declared = [{ keys: [nameKey('Mira Holt')] }, { keys: [nameKey('Atlas')] }]
for (const [at, text] of ['Mira Holt restarted the gateway of Atlas after the outage.', 'Lunch is late.'].entries()) {
  const base = { sourceId: 's', projectId: null, type: 'note', occurredAtMs: AT_MS, tie: at, externalKey: at }
  graph.putRecord({
    ...base,
    id: `rec_${at}`,
    analysis: analyseRecord({ text, declared: at === 0 ? declared : [] }, hash),
  })
}
const view = { graph, hash }
const read = (query: string, history: { role: 'user' | 'assistant'; content: string }[] = []) =>
  understand(query, { history, referenceDate: '2026-06-30', view, scope: null })
const shown = (...asked: Parameters<typeof read>) => describeIntent(read(...asked), view, null)

test('a question is read once: its words, parts, names and times', () => {
  const intent = shown('What did Mira Holt do to the gatway in June, and who owns Atlas?')
  expect(intent).toMatchObject({
    text: 'What did Mira Holt do to the gateway in June, and who owns Atlas?',
    parts: [
      { kind: 'fact', names: ['Mira Holt'], people: ['Mira Holt'] },
      { kind: 'who', people: ['Mira Holt'], names: ['Mira Holt', 'Atlas'] },
    ],
    times: [{ from: '2026-06-01T00:00:00.000Z', until: '2026-07-01T00:00:00.000Z' }],
    asks_rows: true,
    notes: ['No record has the word, so “gatway” is read as “gateway”.'],
  })
})

test('a time without records stays part of the query', () => {
  expect(read('What did Mira Holt do in March 2020?').times).toBeUndefined()
  expect(read('What did Mira Holt do in March 2020?').query).toEqual(
    read('What did Mira Holt do in March 2020?').fullQuery,
  )
  expect(read('What did Mira Holt do in June?').query).not.toEqual(read('What did Mira Holt do in June?').fullQuery)
})

test('what a question leaves to those before it is its subject', () => {
  const intent = shown('And who fixed it?', [{ role: 'user', content: 'Why did the gateway of Atlas fail?' }])
  expect(intent).toMatchObject({ subject: 'Why did the gateway of Atlas fail?', parts: [{ kind: 'who', names: [] }] })
})

test('an event that was found is the time that a question asks about', () => {
  const intent = read('What did Mira Holt restart after the outage?')
  expect(intent).toMatchObject({ times: undefined, event: { side: 'after', name: 'outage' } })
  const range = { fromMs: AT_MS, toMs: Number.POSITIVE_INFINITY }
  const since = withEvent(intent, { range, note: 'It was on 16 June.', isSure: true }, hash)
  expect(describeIntent(since, view, null)).toMatchObject({
    times: [{ from: '2026-06-16T09:00:00.000Z', until: null }],
    event: 'after the outage',
    notes: ['It was on 16 June.'],
  })
  expect(since.query.terms.length).toBeLessThan(intent.query.terms.length)
  expect(withEvent(intent, { range, note: '', isSure: false }, hash).query).toEqual(intent.query)
})

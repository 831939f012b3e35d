import { expect, test } from 'vitest'
import { analyseRecord } from '../../text/analyse-record.ts'
import { plainKeyHash as hash } from '../../text/names.ts'
import { analyseQuestion } from '../../understand/analyse-question.ts'
import { createRecordGraph } from '../record-graph.ts'

/** Returns the ids of the results, best first. The ids of the texts are their indexes. */
function find(texts: readonly string[], query: string, order = texts.map((_, at) => at)): string[] {
  const graph = createRecordGraph()
  for (const at of order) {
    const id = String(at)
    const analysis = analyseRecord({ text: texts[at]!, declared: [] }, hash)
    const key = hash(id)
    graph.putRecord({
      ...{ id, sourceId: null, projectId: null, type: 'message', occurredAtMs: null, tie: key, externalKey: key },
      analysis,
    })
  }
  return graph.rank(analyseQuestion(query, [], hash), null, 20).map((found) => found.id)
}

const NOTICE =
  'The canteen closes on Friday at noon because the kitchen gets new ovens; sandwiches are sold at the reception ' +
  'until four, and on Monday lunch is served again from half past eleven as usual.'
const COPIES = [
  NOTICE,
  `Fwd: ${NOTICE}`,
  `FYI, see below. ${NOTICE}`,
  `From the facilities team: ${NOTICE}`,
  `> ${NOTICE}\nThanks!`,
  `@all ${NOTICE}`,
]
const OTHERS = [
  'Does anybody know whether the canteen takes cards after it closes its till?',
  'The canteen closes in July for two weeks, says the caterer.',
  'Ovens of the canteen arrived, the kitchen is being measured.',
]
const BESIDE = ['The lift is broken.', 'Parking is free at weekends.', 'The printer has no toner.', 'Lunch was fine.']

/** Returns how many copies of the first `count` texts rank before the last relevant record that is not a copy. */
function copiesBefore(found: readonly string[], count: number): number {
  const last = Math.max(...OTHERS.map((_, at) => found.indexOf(String(count + at))))
  return found.slice(0, last).filter((id) => Number(id) < count).length
}

test('copies of a better record let others come up, and are still found, before what has nothing to do with it', () => {
  const texts = [...COPIES, ...OTHERS, ...BESIDE]
  const found = find(texts, 'when the canteen closes for the ovens of the kitchen')
  expect(copiesBefore(found, COPIES.length)).toBeLessThanOrEqual(3)
  const rest = found.findIndex((id) => Number(id) >= COPIES.length + OTHERS.length)
  expect(found.slice(0, rest < 0 ? undefined : rest)).toHaveLength(COPIES.length + OTHERS.length)
})

test('the order does not depend on that of arrival', () => {
  const texts = [...COPIES, ...OTHERS, ...BESIDE]
  const query = 'when the canteen closes'
  const backwards = texts.map((_, at) => texts.length - 1 - at)
  expect(find(texts, query, backwards)).toEqual(find(texts, query))
})

test('what a program says every day leaves room for the rest', () => {
  const days = Array.from({ length: 8 }, (_, day) => `Reminder ${day + 1}: ${NOTICE}`)
  const found = find([...days, ...OTHERS, ...BESIDE], 'canteen closes')
  expect(copiesBefore(found, days.length)).toBeLessThanOrEqual(4)
})

test('a record that has a word of the question which the other lacks is no copy', () => {
  const releases = Array.from({ length: 5 }, (_, at) => `Release ${at} of the ferry importer: ${NOTICE}`)
  for (const at of [1, 2, 3]) expect(find([...releases, ...BESIDE], `ferry importer release ${at}`)[0]).toBe(String(at))
})

test('short messages of one form with different contents are not copies', () => {
  const deploys = ['orders', 'billing', 'search', 'stock'].map((name) => `Deployed ${name} to production.`)
  const found = find([...deploys, ...OTHERS, 'Production of the ovens was late.'], 'deployed to production')
  expect(found.slice(0, 4).every((id) => Number(id) < deploys.length)).toBe(true)
})

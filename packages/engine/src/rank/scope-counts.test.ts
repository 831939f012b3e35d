import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { createRecordGraph, type RecordGraph } from './record-graph.ts'
import type { CountsOf, Scope } from './scope-view.ts'

const PEOPLE = ['Priya Raman', 'Tomas Berg', 'Ada Quist', 'Omar Haddad', 'Lena Fors', 'Kofi Mensah', 'Iris Volk']
const WORDS = 'release outage budget invoice review deploy latency database meeting customer contract metric'.split(' ')
const COUNT = 300
/** Limit above the number of results, so that every ranked record is returned. */
const ALL = COUNT

/** Every third record is about one topic. The others share only names and common words with those. */
const records = Array.from({ length: COUNT }, (_, at) => {
  const [person, beside] = [PEOPLE[at % PEOPLE.length]!, PEOPLE[(at * at + 1) % PEOPLE.length]!]
  const word = (step: number) => WORDS[(at * step + step) % WORDS.length]!
  const sentence =
    at % 3 === 0 ? `The crane ${word(5)} waits for a ${word(7)} in harbour ${at}` : `The ${word(5)} is done`
  return {
    id: `rec_${at}`,
    sourceId: `src_${at % 2}`,
    author: person,
    text: `${sentence}, says ${beside} of ${word(3)}.`,
  }
})
const personKeys = (name: string) => [`name:person:${name.toLowerCase()}`, `n:${name.toLowerCase()}`]

function graphOf(held: readonly (typeof records)[number][], given?: CountsOf): RecordGraph {
  const graph = createRecordGraph(undefined, given)
  for (const name of PEOPLE) graph.putEntity({ id: name, type: 'person', keys: personKeys(name).map(hash) })
  for (const { id, sourceId, author, text } of held) {
    const analysis = analyseRecord({ text, declared: [{ keys: personKeys(author) }] }, hash)
    const made = { projectId: null, type: 'message', occurredAtMs: null, tie: hash(id), externalKey: hash(`ref:${id}`) }
    graph.putRecord({ id, sourceId, ...made, analysis })
  }
  return graph
}

const whole = graphOf(records)
const QUESTIONS = [
  'crane outage in harbour 21',
  'What waits for a review?',
  'What did Ada Quist say of the crane budget?',
]
const SCOPES: readonly (Scope | null)[] = [null, { projectId: 'prj_a', sourceIds: new Set(['src_1']) }]

for (const text of QUESTIONS) {
  test(`a graph of what is found alone ranks it by the counts of everything: ${text}`, () => {
    const question = analyseQuestion(text, [], hash)
    for (const scope of SCOPES) {
      const expected = whole.rank(question, scope, ALL)
      const found = new Set(expected.map(({ id }) => id))
      expect(found.size).toBeGreaterThan(10)
      const held = records.filter(({ id }) => found.has(id))
      const graph = graphOf(held, (asked) => whole.counts(asked))
      expect(graph.rank(question, scope, ALL)).toEqual(expected)
      expect(graph.weighTerms(question, scope)).toEqual(whole.weighTerms(question, scope))
      expect(graph.nameWeight(question, scope)).toBe(whole.nameWeight(question, scope))
    }
  })
}

test('by counts of its own such a graph weighs words and names otherwise', () => {
  const question = analyseQuestion(QUESTIONS[0]!, [], hash)
  const expected = whole.rank(question, null, ALL)
  const found = new Set(expected.map(({ id }) => id))
  const graph = graphOf(records.filter(({ id }) => found.has(id)))
  expect(found.size).toBeLessThan(COUNT)
  expect(graph.rank(question, null, ALL)).not.toEqual(expected)
})

test('the counts of a scope include only its records', () => {
  const [everything, scoped] = SCOPES.map((scope) => whole.counts(scope!))
  const [crane] = analyseQuestion('crane', [], hash).terms
  expect(everything!.records).toBe(COUNT)
  expect(scoped!.records).toBe(COUNT / 2)
  const degrees = [everything, scoped].map((counts) => counts!.term(crane!.hash).degree)
  expect(degrees[1]).toBeLessThan(degrees[0]!)
  expect(scoped!.key(hash('n:ada quist'))).toMatchObject({ isDeclared: true })
  expect(scoped!.key(hash('n:nobody here'))).toEqual({ degree: 0, nameLike: 0, isDeclared: false })
})

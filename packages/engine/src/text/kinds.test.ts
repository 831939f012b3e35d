import { expect, it, test } from 'vitest'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { nounsOfType, topicsAsked, topicsOf, typesNamedBy, typesOfTerm, wordsOfType } from './kinds.ts'
import { plainKeyHash } from './names.ts'

test('a type is called by the words of its kind, and one of no kind by its own', () => {
  expect(nounsOfType('pull_request')).toEqual(['pull request', 'pr', 'merge request', 'mr'])
  expect(nounsOfType('ticket')).toContain('issue')
  expect(nounsOfType('work_order')).toEqual(['work order'])
  expect(wordsOfType('invoice')).toEqual(expect.arrayContaining(['bill', 'Rechnung', 'facture']))
})

test('words call the types of a kind, in the singular and the plural, as they are written', () => {
  expect(typesNamedBy('outages')).toContain('incident')
  expect(typesNamedBy('merge request')).toContain('pull_request')
  expect(typesNamedBy('Storung')).toContain('incident')
  expect(typesOfTerm('mail')).toContain('email')
  expect(typesNamedBy('flood')).toEqual([])
})

const typesAsked = (text: string) =>
  analyseQuestion(text, [], plainKeyHash).terms.flatMap((term) => (term.text.startsWith('~type:') ? [term.text] : []))

it('is read in a question, and a name that is written like one is none', () => {
  expect(typesAsked('What does the page on hiring say?')).toContain('~type:document')
  expect(typesAsked('Which PR broke it?')).toContain('~type:pull_request')
  expect(typesAsked('When was Jimmy Page born?')).toEqual([])
})

test.each([
  ['what was the power cut first blamed on?', 'Initial hypothesis'],
  ['what did they suspect at first?', 'First theory'],
  ['which red herrings were there?', 'Red herrings'],
  ['what was believed to be the cause?', 'What we believed first'],
])('%s asks for what stands under “%s”, and not for the cause', (question, label) => {
  expect(topicsAsked(question)).toEqual(['suspicion'])
  expect(topicsOf(label)).toEqual(['suspicion'])
})

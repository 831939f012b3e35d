import { expect, test } from 'vitest'
import { identifiersOf } from './identifiers.ts'
import { foldText, wordsOfFolded } from './words.ts'

/** Returns the terms of the compounds and numbers in a text. */
function wholes(text: string): string[] {
  const folded = foldText(text)
  return identifiersOf(folded, wordsOfFolded(folded)).map(({ term }) => term)
}

test.each([
  ['14,500 14.500 14 500 14’500 14\u202f500 14.5k', '~14500'],
  ['3.2m, 3.2 million, 3,200,000, 3.200.000, 3,2 Mio', '~3200000'],
  ['85k 85,000', '~85000'],
])('%s are one amount', (text, term) => {
  const amounts = text.includes('3.2m') ? text.split(', ') : text.split(/ (?!500)/)
  expect(amounts.map(wholes)).toEqual(amounts.map(() => [term]))
})

test.each([
  'March 14, 2027',
  '14 March 2027',
  '14th of March 2027',
  'Mar 14 2027',
  '14. März 2027',
  '14 mars 2027',
  '14 de marzo de 2027',
  '14 marzo 2027',
  '14 marca 2027',
  '14. března 2027',
  '14.03.2027',
  '14.3.2027',
  '14/3/2027',
  '3/14/2027',
  '2027-03-14',
])('%s is a date like any other', (text) => {
  expect(wholes(`It ends on ${text}.`)).toEqual(['2027-03-14'])
})

test.each([
  'in March 2027',
  'rooms 4, 5 and 2027',
  'the 45 March 2027',
  '4/3/2027',
  'at 1,5 or 12,50',
  'in 2024 100 people',
  'a 5 km run',
])('%s has no date and no amount', (text) => {
  expect(wholes(text).filter((term) => term.startsWith('~') || /^\d{4}-\d\d-\d\d$/.test(term))).toEqual([])
})

test('a version is one with its letter and without', () => {
  expect(wholes('v7.3.1 and 7.3.1')).toEqual(['7.3.1', '7.3.1'])
})

test('the names within a path are compounds of their own, and an address without its port', () => {
  expect(wholes('see src/billing/proration_rules.ts:117')).toContain('proration_rules.ts')
  expect(wholes('10.41.7.23:6380 is down')).toContain('10.41.7.23')
})

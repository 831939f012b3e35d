import { expect, test } from 'vitest'
import { kindAsked } from './kind-asked.ts'

test.each([
  ['What was the outage first blamed on?', 'outage', ''],
  ['Why did our ledger incident take so long?', 'incident', 'ledger'],
  ['The second cold store failure, what caused it?', 'failure', 'second cold store'],
])('“%s” calls a thing by its kind', (text, kind, told) => {
  const asked = kindAsked(text)!
  expect(asked).toMatchObject({ kind, told })
  expect(text.slice(asked.from, asked.from + kind.length)).toBe(kind)
})

test.each([
  'Which outages were there?',
  'What is an outage?',
  'What was the outage INC-8 blamed on?',
  'What caused the Bay 12 outage?',
  'What caused the fire?',
  'What does the incident-bot say?',
])('“%s” does not', (text) => {
  expect(kindAsked(text)).toBeUndefined()
})

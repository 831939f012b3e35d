import { expect, test } from 'vitest'
import { eventAsked } from './events-asked.ts'

test.each([
  ['What changed since the incident?', 'since', 'incident'],
  ['What was known before the ledger outage, and by whom?', 'before', 'ledger outage'],
  ['Who wrote during the cutover?', 'during', 'cutover'],
  ['What happened after INC-7?', 'after', 'INC-7'],
  ['What changed since the last hackathon, and why?', 'since', 'hackathon'],
  ['Who wrote after the launch of Harbour?', 'after', 'launch of Harbour'],
  ['What did we ship since our Lisbon week?', 'since', 'Lisbon week'],
])('%s tells a time by an event', (query, side, name) => {
  expect(eventAsked(query)).toMatchObject({ side, name })
})

test.each([
  'Who looks after the depot?',
  'What came before the board?',
  'How much did we spend since the start of the year?',
  'Since who left, what was released?',
  'Has it run since the depot closes its doors early on most days?',
])('%s tells no time by an event', (query) => {
  expect(eventAsked(query)).toBeUndefined()
})

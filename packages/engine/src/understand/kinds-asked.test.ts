import { describe, expect, it, test } from 'vitest'
import { factsAsked, findEvent, phasesAsked } from './kinds-asked.ts'
import { kindOf } from './question.ts'

test.each([
  ['What changed since the incident?', 'since', 'incident'],
  ['What was known before the ledger outage, and by whom?', 'before', 'ledger outage'],
  ['Who wrote during the cutover?', 'during', 'cutover'],
  ['What happened after INC-7?', 'after', 'INC-7'],
  ['What changed since the last hackathon, and why?', 'since', 'hackathon'],
  ['Who wrote after the launch of Harbour?', 'after', 'launch of Harbour'],
  ['What did we ship since our Lisbon week?', 'since', 'Lisbon week'],
])('%s tells a time by an event', (query, side, name) => {
  expect(findEvent(query)).toMatchObject({ side, name })
})

test.each([
  'Who looks after the depot?',
  'What came before the board?',
  'How much did we spend since the start of the year?',
  'Since who left, what was released?',
  'Has it run since the depot closes its doors early on most days?',
])('%s tells no time by an event', (query) => {
  expect(findEvent(query)).toBeUndefined()
})

describe('a question asks for facts of who asks it', () => {
  it.each([
    ['Where do I live?', 'lives in'],
    ['Hey, where do I live now?', 'lives in'],
    ['Who is my employer?', 'works for'],
    ['since when do I live in Lyon', 'lives in'],
  ])('%s', (question, predicate) => {
    expect(factsAsked(question)).toEqual({ predicates: [predicate], isFormer: false })
  })

  it.each([['Where did I live before?', 'lives in']])('%s asks how it was', (question, predicate) => {
    expect(factsAsked(question)).toEqual({ predicates: [predicate], isFormer: true })
  })

  it.each([
    'Where does my brother live?',
    "What's my brother's wife called?",
    'Where do I live according to Bob?',
    'Where do we live?',
    'Who is my older brother?',
    'Where did I park?',
    'What do I do when the server is down?',
    `Where do I live ${'now '.repeat(1000)}?`,
  ])('%s asks for something else', (question) => {
    expect(factsAsked(question)).toBeUndefined()
  })
})

const read = (text: string) => phasesAsked(text, kindOf(text.toLowerCase()) ?? 'overview')

describe('a question that asks for everything in a phase', () => {
  it.each([
    ['What is still open?', ['open', 'doing']],
    ['What is blocked?', ['open', 'doing']],
    ['What is left to do?', ['open', 'doing']],
    ['What is in progress?', ['doing']],
    ['What has been finished?', ['done']],
    ['What was dropped?', ['dropped']],
    ['What is still to be done?', ['open', 'doing']],
    ['What has not been finished?', ['open', 'doing']],
    ['Which tasks are open?', ['open', 'doing']],
    ['Which tasks are done?', ['done']],
  ])('%s', (text, phases) => expect(read(text)).toEqual(phases))

  it.each(['What is open in the harbour?', 'What is new?', 'What was paid?', 'Who is done?!? And the mast?', ''])(
    'not: %s',
    (text) => expect(read(text)).toBeUndefined(),
  )
})

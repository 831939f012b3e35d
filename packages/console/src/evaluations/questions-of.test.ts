import { expect, it } from 'vitest'
import { questionsOf } from './questions-of.ts'

it('CSV with a header gives questions with their expectations, also in another order and with quotes', () => {
  const csv =
    'expected,question,unanswerable,verdict\r\n' +
    '"3 June | ""2026-06-03""","When will Harbour launch, and\nwhy?",,wrong\r\n,Who is the CEO?,TRUE,\r\n'
  expect(questionsOf(csv)).toEqual({
    questions: [
      { question: 'When will Harbour launch, and\nwhy?', expected: '3 June | "2026-06-03"' },
      { question: 'Who is the CEO?', unanswerable: true },
    ],
  })
})

it('a text without a header is one question a line', () => {
  expect(questionsOf('Who owns it?\n\nWhen, and why?\n')).toEqual({
    questions: [{ question: 'Who owns it?' }, { question: 'When, and why?' }],
  })
})

it('no questions and too many are refused with a reason', () => {
  expect(questionsOf(' \n')).toEqual({ error: 'There is no question.' })
  expect(questionsOf('Why?\n'.repeat(501))).toEqual({ error: expect.stringContaining('at most 500') })
})

import { expect, test } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { analyseParts } from '../understand/parts.ts'
import { answerQuestion } from './answer.ts'

const note = (id: string, day: number, name: string, text: string) =>
  story(id, day, { type: 'note', text, author: { name }, score: 1 })
const records = [
  note('rec_1', 3, 'Mara Voss', 'The crane is back in service.'),
  note('rec_2', 5, 'Mara Voss', 'Two ropes were replaced.'),
  note('rec_3', 6, 'Mara', 'The canteen has new chairs.'),
  note('rec_4', 7, 'Jan Pohl', 'Mara Voss says the ropes are too short.'),
]
const ask = (query: string) => {
  const { outcome, brief, statements } = answerQuestion(
    asking(query, records, { terms, asked: analyseParts(query, terms, {}), corpus: undefined }),
  )
  return { outcome, brief, cited: statements.flatMap(({ recordIds }) => recordIds) }
}

test.each([
  'What did Mara Voss write?',
  'What has Mara Voss written?',
  'What was written by Mara Voss?',
  'What did Mara Voss say?',
])('everything that somebody wrote is shown in order of time, and nothing of others: %s', (query) => {
  expect(ask(query)).toMatchObject({ outcome: 'answered', cited: ['rec_1', 'rec_2'] })
})

test('what somebody said about a topic is only what they wrote', () => {
  expect(ask('What did Mara Voss say about the ropes?').cited).toEqual(['rec_2'])
  expect(ask('What did Jan Pohl say about the ropes?').cited).toEqual(['rec_4'])
  const { outcome } = ask('What did Jan Pohl say about the canteen?')
  expect(outcome).not.toBe('answered')
})

test('a first name matches everybody with that name', () => {
  expect(ask('What did Jan write?').cited).toEqual(['rec_4'])
})

import { expect, test } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { analyseParts } from '../understand/parts.ts'
import { answerQuestion } from './answer.ts'
import { questionsRepliedTo } from './replies.ts'
import { segment } from './statement.ts'

const message = (id: string, day: number, name: string, text: string) =>
  story(id, day, { type: 'message', text, score: 1, conversation: 'mail', author: { name, canonicalId: name } })
const messages = [
  message('rec_1', 1, 'Harbour', 'The crane is back. Shall we hold your berth for the winter?'),
  message('rec_2', 2, 'Odd Moen', 'Yes, please. The key is with Ida.'),
  message('rec_3', 3, 'Harbour', 'Noted.'),
]

function replies(among = messages) {
  return [...questionsRepliedTo(among.map(segment))].map(([{ text }, question]) => [text, question])
}

test('a short opening of a reply belongs to the question of the previous message', () => {
  expect(replies()).toEqual([['Yes, please.', 'Shall we hold your berth for the winter?']])
})

test.each([
  ['another conversation', { conversation: 'other' }],
  ['the same author', { author: { name: 'Harbour', canonicalId: 'Harbour' } }],
  ['an earlier time', { occurredAtMs: 0 }],
  ['a longer text', { text: 'I think that we should ask Ida.' }],
])('a message with %s is no reply', (_, fields) => {
  const [asked, reply] = messages
  expect(replies([asked!, { ...reply!, ...fields }])).toEqual([])
})

test('a reply of a word answers the question that it was asked', () => {
  const query = 'Does Odd Moen want his berth held for the winter?'
  const asked = analyseParts(query, terms, {})
  const { outcome, statements } = answerQuestion(asking(query, messages, { terms, asked, corpus: undefined }))
  expect([outcome, statements[0]!.text]).toEqual(['answered', expect.stringContaining('Yes, please.')])
})

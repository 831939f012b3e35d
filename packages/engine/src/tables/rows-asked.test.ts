import { expect, test } from 'vitest'
import { questions } from '../../../../tests/questions/all.ts'
import { asksRows } from '../understand/kinds-asked.ts'
import { rowNounsOf } from './types-named.ts'

const nouns = (...types: string[]) => ({ rowNouns: rowNounsOf(types) })
const TRACKED = ['issue', 'pull_request', 'review', 'commit', 'comment', 'project', 'project_update', 'cycle']
const COMPANY = nouns('message', 'person', ...TRACKED)

test('whatever rows answer is read as asking for rows', () => {
  const asked = questions.flatMap(({ wordings }) => wordings)
  expect(asked.filter((wording) => !asksRows(wording, COMPANY))).toEqual([])
})

test.each([
  'How many engineers do I lead?',
  'What did Priya say about the open issue?',
  'Who owns the ledger, by the way?',
  'Which country is the director from?',
  'Who is Ana?',
])('%s asks for none', (question) => {
  expect(asksRows(question, COMPANY)).toBe(false)
})

test('if the record types are unknown, only the form of the question decides', () => {
  for (const wording of ['How many engineers are there?', 'Who has not paid?', 'What is the cheapest plan?'])
    expect(asksRows(wording, {})).toBe(true)
  expect(asksRows('Why did the gateway fail?', {})).toBe(false)
})

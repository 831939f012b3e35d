import { expect, it } from 'vitest'
import { gradeAnswer } from './grade-answer.ts'

const answered = (answer: string, cited: string[] = []) => ({ outcome: 'answered', answer, cited }) as const
const nothing = { outcome: 'nothing', answer: 'Nothing here says when.', cited: [] } as const
const grade = (expected: string, answer: string) => gradeAnswer({ question: 'Q?', expected }, answered(answer))

it.each([
  ['3 June', 'The launch is on June 3rd, 2026.'],
  ['2026-06-03', 'It was moved to the 3rd of June 2026.'],
  ['June 3, 2026', 'The launch is on 3 June.'],
  ['03.06.2026', 'On 2026-06-03.'],
  ['12,400 euros', 'It costs €12 400 a month.'],
  ['12.4k', 'It handled 12,400 requests.'],
  ['60%', 'About 60 percent of them.'],
  ['three', 'There are 3 of them.'],
  ['The Old Quay', 'She winters at an old quay.'],
  ['José Álvarez', 'Jose Alvarez owns it.'],
  ['Ana Lima, Bo Lind', 'Bo Lind and Ana Lima.'],
  ['Sam | Ana Lima', 'Ana Lima wrote it.'],
  ['its filter was full', 'The filter of pump 7 was full of sand.'],
  ['2:30 pm', 'The meeting is at 14:30.'],
])('"%s" is right in "%s"', (expected, answer) => {
  expect(grade(expected, answer)).toBe('right')
})

it.each([
  ['3 June', 'The launch is on June 30.', 'wrong'],
  ['2026-06-03', 'It was on 3 June 2025.', 'wrong'],
  ['Ana Lima', 'Bo Lind owns it.', 'wrong'],
  ['Ana Lima and Bo Lind', 'Ana Lima owns it, and Kay too.', 'partly'],
  ['It was not moved.', 'It was moved.', 'partly'],
  ['1.5', 'It took 15 minutes.', 'wrong'],
] as const)('"%s" in "%s" is %s', (expected, answer, wanted) => {
  expect(grade(expected, answer)).toBe(wanted)
})

it('grades by the cited records if no answer is expected', () => {
  const question = { question: 'Q?', record: 'rec_1 rec_2' }
  expect(gradeAnswer(question, answered('Yes.', ['rec_2', 'rec_1']))).toBe('right')
  expect(gradeAnswer(question, answered('Yes.', ['rec_2']))).toBe('partly')
  expect(gradeAnswer(question, answered('Yes.', ['rec_3']))).toBe('wrong')
  expect(gradeAnswer({ question: 'Q?' }, answered('Yes.'))).toBe('ungraded')
  expect(gradeAnswer({ question: 'Q?', expected: ' | ?' }, answered('Yes.'))).toBe('ungraded')
})

it('distinguishes missing answers from correct abstentions', () => {
  expect(gradeAnswer({ question: 'Q?', expected: 'June' }, nothing)).toBe('wrongly_unanswered')
  expect(gradeAnswer({ question: 'Q?', unanswerable: true }, nothing)).toBe('rightly_unanswered')
  expect(gradeAnswer({ question: 'Q?', unanswerable: true }, { ...nothing, outcome: 'closest' })).toBe(
    'rightly_unanswered',
  )
  expect(gradeAnswer({ question: 'Q?', unanswerable: true, expected: 'June' }, answered('In June.'))).toBe('wrong')
})

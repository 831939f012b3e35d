import { expect, it } from 'vitest'
import { readQuestions, writeQuestions } from './question-file.ts'

it('writing and reading a question file is lossless', () => {
  const questions = [
    { question: 'Where, "exactly",\nis it?', expected: "the 'Old' Quay | quay", record: 'rec_1 rec_2' },
    { question: '=SUM(A1)', unanswerable: true },
    { question: '-5 or 5?', expected: '-5' },
  ]
  const text = writeQuestions(questions)
  expect(text).toContain(`"'=SUM(A1)",,,true\r\n`)
  expect(readQuestions(text)).toEqual(questions)
})

it('reads exported feedback and spreadsheet CSV', () => {
  const exported = 'question,expected,record,unanswerable,verdict,note\r\nWhy?,,rec_1,,wrong,"No, it did not"\r\n'
  expect(readQuestions(exported)).toEqual([{ question: 'Why?', record: 'rec_1' }])
  expect(readQuestions('\uFEFFExpected,Question,Unanswerable\n,Who?,YES\n\n,,\nIda,Who?,no')).toEqual([
    { question: 'Who?', unanswerable: true },
    { question: 'Who?', expected: 'Ida' },
  ])
})

it('names the row of an invalid question', () => {
  expect(() => readQuestions('a,b\n1,2\n')).toThrow(/must name the columns: question/)
  expect(() => readQuestions('question,expected\nWho?,\n,Ida\n')).toThrow('Row 3 has no question.')
  expect(() => readQuestions('question,unanswerable\nWho?,perhaps\n')).toThrow(/Row 2: unanswerable must be "true"/)
  expect(() => readQuestions('question\n')).toThrow(/no questions/)
  expect(() => readQuestions(`question\n${'Who?\n'.repeat(10_001)}`)).toThrow(/more than 10000/)
})

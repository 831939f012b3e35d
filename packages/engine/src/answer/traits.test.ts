import { expect, test } from 'vitest'
import { isFirstPerson } from '../text/words.ts'
import type { Question } from '../understand/question.ts'
import { countWords, lacksForm, statesTime } from './traits.ts'

test.each([
  ['I moved it.', true],
  ['Let’s see what we’ve got.', true],
  ['Unsere Frist ist vorbei.', true],
  ['Nous partons.', true],
  ['Please close it.', true],
  ['US offices close at noon.', false],
  ['The mine closed in 1950.', false],
])('whether somebody speaks in “%s”', (text, speaks) => {
  expect(isFirstPerson(text)).toBe(speaks)
})

test.each([
  ['The gate opens\n at six.', 5],
  ['', 0],
  ['六時に門が開きます', 5],
  ['会議は Room 4 で', 4],
  ['회의는 여섯 시에 시작합니다', 4],
])('counts the words of “%s”, two characters as one in scripts without spaces', (text, words) => {
  expect(countWords(text)).toBe(words)
})

test.each([
  ['Delivery Tue and Fri.', true],
  ['He sat in the sun.', false],
])('a short weekday is a time: %s', (text, isTime) => {
  expect(statesTime(text)).toBe(isTime)
})

test.each([
  ['Die Halle hat zwei Rutschen.', false],
  ['Le club a quinze membres.', false],
  ['El coro tiene veinte voces.', false],
  ['O barco leva trinta pessoas.', false],
  ['The choir has forty voices.', false],
  ['Die Halle hat Rutschen.', true],
])('a number word of any language answers how many: %s', (text, isLacking) => {
  expect(lacksForm({ ways: { opening: 'howMany' } } as Question, text, false)).toBe(isLacking)
})

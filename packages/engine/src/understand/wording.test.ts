import { expect, it } from 'vitest'
import { analyseParts } from './parts.ts'
import { questionText } from './wording.ts'

const termsOf = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? []

it('a question is represented by its fields, and none of them contains its text', () => {
  const text = 'When did Priya ship “rate limits”, and why was it late?'
  const { whole, parts, spelt } = analyseParts(text, termsOf)
  expect(questionText(whole.wording)).toBe(text)
  expect(parts.map(({ wording }) => questionText(wording))).toHaveLength(2)
  // The message repeats the question in one line.
  expect(spelt.echo).toBe('When did Priya ship "rate limits", and why was it late?')
  expect(JSON.stringify({ whole, parts })).not.toContain('did Priya')
})

it('a word is known by its capitals and by the auxiliary before it', () => {
  const { words, names, writesCapitals } = analyseParts('what did Priya Raman say?', termsOf).whole
  expect(words.filter(({ isAfterAuxiliary }) => isAfterAuxiliary).map(({ text }) => text)).toEqual(['priya'])
  expect(words.filter(({ isCapital }) => isCapital).map(({ text }) => text)).toEqual(['priya', 'raman'])
  expect(names.map(({ text }) => text)).toEqual(['Priya Raman'])
  expect(writesCapitals).toBe(true)
})

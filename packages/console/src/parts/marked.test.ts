import { expect, it } from 'vitest'
import { excerptOf, markedSegments } from './marked.ts'

const TEXT = 'The pump stopped in March. Ada Berg cleaned its filter, and it ran again.'
const at = (words: string) => ({ start: TEXT.indexOf(words), end: TEXT.indexOf(words) + words.length })
const marked = (pieces: { text: string; isMarked: boolean }[]) =>
  pieces.filter(({ isMarked }) => isMarked).map(({ text }) => text)

it('the segments concatenate to the text, and the spans are highlighted in any order', () => {
  const pieces = markedSegments(TEXT, [at('cleaned its filter'), at('pump stopped')])
  expect(pieces.map(({ text }) => text).join('')).toBe(TEXT)
  expect(marked(pieces)).toEqual(['pump stopped', 'cleaned its filter'])
})

it('overlapping, empty and out-of-range spans highlight nothing twice', () => {
  const { start, end } = at('pump stopped')
  const stretches = [
    { start, end },
    { start: start + 5, end: end + 3 },
    { start: 9, end: 9 },
    { start: 60, end: 999 },
    { start: 900, end: 950 },
  ]
  const pieces = markedSegments(TEXT, stretches)
  expect(pieces.map(({ text }) => text).join('')).toBe(TEXT)
  expect(marked(pieces)).toEqual(['pump stopped', ' in', TEXT.slice(60)])
})

it('an excerpt has its whole passage and whole words around it, and shows where it is cut', () => {
  const { pieces, isCutBefore, isCutAfter } = excerptOf(TEXT, [at('Ada Berg')], 12, 200)
  expect(pieces.map(({ text }) => text).join('')).toBe('in March. Ada Berg cleaned')
  expect(marked(pieces)).toEqual(['Ada Berg'])
  expect([isCutBefore, isCutAfter]).toEqual([true, true])
})

it('a text without a passage is shown from its start, and a text without spaces is cut', () => {
  expect(excerptOf('short', [], 10, 100)).toMatchObject({ isCutBefore: false, isCutAfter: false })
  const endless = excerptOf('x'.repeat(1_000_000), [{ start: 500_000, end: 900_000 }], 100, 900)
  expect(endless.pieces.map(({ text }) => text).join('').length).toBeLessThanOrEqual(900)
  expect(endless).toMatchObject({ isCutBefore: true, isCutAfter: true })
})

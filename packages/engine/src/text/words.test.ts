import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordsOf } from './words.ts'

/** Text fragments that the segmenter treats differently: scripts without spaces, single marks, joiners, emoji. */
const PIECES = ['中', '東京都', 'カタカナ', 'ー', 'が', 'สวัสดีครับ', 'ภาษาไทย', 'မြန်မာ', 'ភាសា', 'abc', 'é', '１２', '👍']
const GAPS = [' ', '  ', '\t\n', '_', "'", '。', '、', '.', '-']

test('the words of a text in scripts without spaces are those of each of its pieces', () => {
  const spaced = fc.array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(...GAPS)), { maxLength: 200 })
  fc.assert(
    fc.property(spaced, (pairs) => {
      const words = wordsOf(pairs.map(([piece, gap]) => piece + gap).join(''))
      const alone = pairs.flatMap(([piece]) => wordsOf(piece).map(({ text }) => text))
      expect(words.map(({ text }) => text)).toEqual(alone)
    }),
  )
})

test('words have correct offsets, also beyond the segmentation window', () => {
  const text = `${'東京都庁 は '.repeat(200)}ferry ภาษาไทย`
  for (const word of wordsOf(text)) expect(text.slice(word.from, word.to).toLowerCase()).toBe(word.text)
})

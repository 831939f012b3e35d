import fc from 'fast-check'
import { expect, it } from 'vitest'
import { filled, fillLines } from './ask.ts'

const WIDTH = 20

it('lines are identical however the stream is chunked, and no line exceeds the width except for a longer word', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'é', '🦊', ' ', '\n', '\u0007', '```'), maxLength: 120 })
  fc.assert(
    fc.property(texts, fc.array(fc.nat(120), { maxLength: 6 }), (text, cuts) => {
      const characters = [...text]
      const lines = fillLines(WIDTH)
      const ends = [0, ...cuts.toSorted((one, other) => one - other), characters.length]
      const pieces = ends.slice(1).map((end, at) => characters.slice(ends[at], end).join(''))
      expect(pieces.map((piece) => lines.add(piece)).join('') + lines.end()).toBe(filled(text, WIDTH))
      for (const line of filled(text, WIDTH).split('\n')) {
        if (line.includes(' ') && !text.includes('`')) expect(line.length).toBeLessThanOrEqual(WIDTH)
      }
    }),
  )
})

it('code blocks keep their indentation and long lines', () => {
  const code = 'def f(x):\n    if x:\n\treturn "\u001b and a string that is longer than a line"\n\n```'
  const shown = code.replace('\u001b', '\\u001b')
  expect(filled(`Do  this:\n\n\`\`\`\`py\n${code}\n\`\`\`\`\nand  go on`, WIDTH)).toBe(
    `Do this:\n\n\`\`\`\`py\n${shown}\n\`\`\`\`\nand go on`,
  )
})

it('line breaks are kept, spaces collapse, and control characters are escaped', () => {
  expect(filled('one  two\n\nthree \u001b[2J fourth', WIDTH)).toBe('one two\n\nthree \\u001b[2J\nfourth')
})

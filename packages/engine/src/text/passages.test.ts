import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passagesOf, WHOLE_CHARS_MAX } from './passages.ts'

const sentence = (word: string) => `${word} sails from the old quay to the island every morning at nine. `
const section = (heading: string, word: string) => `${heading}\n\n${sentence(word).repeat(20)}\n\n`

test('a text of ordinary length is one', () => {
  expect(passagesOf('a'.repeat(WHOLE_CHARS_MAX))).toEqual([])
})

test('passages begin at headings and have the headings above them', () => {
  const text =
    `# Handbook\n\n${sentence('Dana').repeat(10)}\n\n` +
    ['## Ferries', '### Night ferry', '## Harbour'].map((heading) => section(heading, heading.slice(-5))).join('') +
    `Crew\n====\n\n${sentence('Crew').repeat(60)}\n\nCHAPTER ONE\n\n${sentence('Last').repeat(10)}`
  const passages = passagesOf(text)
  const night = passages.find(({ from }) => text.slice(from).startsWith('### Night ferry'))
  expect(night?.headings).toEqual(['Handbook', 'Ferries', 'Night ferry'])
  const harbour = passages.find(({ from }) => text.slice(from).startsWith('## Harbour'))
  expect(harbour?.headings).toEqual(['Handbook', 'Harbour'])
  const inCrew = passages.filter(({ headings }) => headings.includes('Crew'))
  expect(inCrew.length).toBeGreaterThan(0)
  expect(inCrew[0]?.headings).toEqual(['Crew'])
})

test('a heading in code is none', () => {
  const code = `${'```'}\n# not a heading\n${'x = 1\n'.repeat(1_500)}${'```'}\n\n`
  const passages = passagesOf(`# Script\n\n${code}${sentence('After').repeat(40)}`)
  expect(passages.flatMap(({ headings }) => headings)).not.toContain('not a heading')
})

test('whatever the text, passages follow each other without gaps, are bounded, and cut no character in two', () => {
  const piece = fc.oneof(
    fc.constantFrom('# H\n', '\n\n', '。', '. ', '船が港を出る', '𝒜𝒷𝒸', 'word ', '```\n', '===\n', '- a\n', 'Ж'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 60 }), (pieces, times) => {
      const text = pieces.join('').repeat(times)
      const passages = passagesOf(text)
      expect(passages.map(({ from, to }) => text.slice(from, to)).join('')).toBe(passages.length > 0 ? text : '')
      const longest = Math.max(7_300, (text.length / 400) * 5)
      const isCut = (at: number) => /[\ud800-\udbff]/.test(text.charAt(at - 1))
      expect(passages.filter(({ from, to }) => to <= from || to - from >= longest || isCut(to))).toEqual([])
    }),
    { numRuns: 25 },
  )
})

test.each(['````', '~~~~'])('a fence of %s ends at an equal one, not at a shorter one in the code', (fence) => {
  const inner = `${fence.slice(1)}js\n# not a heading\n${fence.slice(1)}\n\n# nor this\n\n${'x = 1\n'.repeat(1_500)}`
  const text = `# Script\n\n${fence}md\n${inner}${fence}\n\n# After\n\n${sentence('After').repeat(40)}`
  const headings = passagesOf(text).flatMap((passage) => passage.headings)
  expect([...new Set(headings)]).toEqual(['Script', 'After'])
})

import { expect, test } from 'vitest'
import { excerpt, fencesOf, withoutQuoted } from './block.ts'
import { splitSentences } from './sentences.ts'

const TEXT = 'Before it.\n\n```sh\nrun one\nrun two\n```\n\nAfter it.\n\n~~~\nrun three\n~~~\n'

test('code between fences is found with both of its lines', () => {
  expect(fencesOf(TEXT).map(({ from, to }) => TEXT.slice(from, to))).toEqual([
    '```sh\nrun one\nrun two\n```\n',
    '~~~\nrun three\n~~~\n',
  ])
  expect(fencesOf('No code here.')).toEqual([])
  expect(fencesOf('```one line```\nText.')).toMatchObject([{ from: 0, to: 15 }])
})

test('wherever a text is cut, code stays code and prose stays prose', () => {
  const fences = fencesOf(TEXT)
  for (let from = 0; from < TEXT.length; from += 1)
    for (let to = from + 1; to <= TEXT.length; to += 1) {
      const prose = splitSentences(excerpt(TEXT, from, to, fences)).join(' ')
      expect(prose, `${from} to ${to}`).not.toMatch(/run (?:one|two|three)/)
      if (from === 0 && to > TEXT.indexOf('After it.') + 9) expect(prose).toBe('Before it. After it.')
      if (from === TEXT.indexOf('two') && to === TEXT.length) expect(prose).toBe('After it.')
    }
})

test('quoted lines of a message are left out, but not lines of code that begin with the same character', () => {
  expect(withoutQuoted('Hi\n > old\n```\n> run it\n```\n> older\nyes')).toBe(
    'Hi\n      \n```\n> run it\n```\n       \nyes',
  )
})

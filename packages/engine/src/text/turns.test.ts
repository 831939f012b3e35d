import { expect, test } from 'vitest'
import { passagesOf, turnsOf } from './passages.ts'

const long = 'The ferry leaves from the old quay and calls at the island every morning. '.repeat(20)
const talk = Array.from(
  { length: 6 },
  (_, at) => `user: short question ${at}\nassistant: ${long}\n## Advice\n\n${long}`,
)

test('a talk has a turn for each line that begins with who speaks', () => {
  const lines = ['[10:31] Ana Lima: Is the pump fixed?', '**Bo** (10:32): It is.', 'Pros: none', 'and dry.']
  const text = [...lines, 'Ana Lima: Good.', '10:33 - Bo: Yes.', '[10:34 am] Ana Lima: Bye.'].join('\n')
  const starts = turnsOf(text).map(({ at }) => text.slice(at, at + 6))
  expect(starts).toEqual(['[10:31', '**Bo**', 'Ana Li', '10:33 ', '[10:34'])
  expect(turnsOf(text).reduce((sum, { length }) => sum + length, 0)).toBe(text.length)
})

test('a document with labels is no talk', () => {
  expect(turnsOf('Note: one\nNote: two\nNote: three')).toEqual([])
  expect(turnsOf('We met.\nAna: yes\nBo: no\nAna: yes\nBo: no')).toEqual([])
  expect(turnsOf('Date: May\nPlace: Oslo\nStatus: open')).toEqual([])
})

test('in a long transcript, short turns are separate from long answers and not under their headings', () => {
  const text = talk.join('\n')
  const passages = passagesOf(text).map(({ from, to, headings }) => ({ said: text.slice(from, to), headings }))
  for (const [at] of talk.entries()) {
    expect(passages).toContainEqual({ said: `user: short question ${at}\n`, headings: [] })
  }
  expect(passages.map(({ said }) => said).join('')).toBe(text)
})

test('short turns stay together', () => {
  const text = Array.from({ length: 200 }, (_, at) => `${at % 2 ? 'Ana' : 'Bo'}: the pump was tested again today`).join(
    '\n',
  )
  const sizes = passagesOf(`${text}\n`.repeat(2)).map(({ from, to }) => to - from)
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(1_700)
})

test('hostile lines are read in time that grows with their length', () => {
  for (const piece of ['a '.repeat(50), '[1:1'.repeat(30), '**a.-', '0:00 ', 'A (']) {
    expect(turnsOf(piece.repeat(400_000 / piece.length))).toEqual([])
    expect(turnsOf(`${piece}\n`.repeat(100_000 / piece.length))).toEqual([])
  }
})

test('a talk that is read without its turns or without passages is as one that has none', () => {
  const text = talk.join('\n')
  const unsaid = text.replaceAll('user:', 'user,').replaceAll('assistant:', 'assistant,')
  expect(passagesOf(text, ['turns'])).toEqual(passagesOf(unsaid))
  expect(passagesOf(text, ['turns'])).not.toEqual(passagesOf(text))
  expect(passagesOf(text, ['passages'])).toEqual([])
})

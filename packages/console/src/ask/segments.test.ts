import { expect, it } from 'vitest'
import { segmentsOf } from './segments.ts'

const texts = (...all: string[]) => all.map((text) => ({ text }))

it('the segments concatenate to the answer, and each statement is found in it', () => {
  const answer = 'The pump stopped. It was sand.\n\nAda cleaned it.'
  const segments = segmentsOf(answer, texts('The pump stopped.', 'It was sand.', 'Ada cleaned it.'))
  expect(segments.map(({ text }) => text).join('')).toBe(answer)
  expect(segments.map(({ statement }) => statement)).toEqual([0, null, 1, null, 2])
})

it('equal statements get distinct segments, white space may differ, and a missing statement is skipped', () => {
  const answer = 'Yes.  Yes. It is\nso.'
  const segments = segmentsOf(answer, texts('Yes.', 'Yes.', 'Never said.', 'It is so.', ''))
  expect(segments.filter(({ statement }) => statement !== null)).toEqual([
    { text: 'Yes.', statement: 0 },
    { text: 'Yes.', statement: 1 },
    { text: 'It is\nso.', statement: 3 },
  ])
})

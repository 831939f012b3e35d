import { expect, it } from 'vitest'
import { partOf, placesOf } from './text-part.ts'

const PLACES = [
  { start: 0, locator: 'p. 1' },
  { start: 10, locator: 'p. 2' },
]

it('a short text is shown whole, with its passages and places', () => {
  const part = partOf({ text: 'one\n\ntwo and three', marks: [{ start: 5, end: 8 }], places: PLACES }, 100)
  expect(part).toMatchObject({ from: 0, isWhole: true, marks: [{ start: 5, end: 8 }], places: PLACES })
  expect(part.shown).toBeUndefined()
})

it('of a long text a part around the passage is shown, from the beginning of a paragraph, with moved offsets', () => {
  const text = `${'a'.repeat(50)}\n\n${'b'.repeat(50)}\n\n${'c'.repeat(50)}`
  const part = partOf({ text, marks: [{ start: 110, end: 120 }], places: PLACES }, 60, 5)
  expect([part.from, part.isWhole, part.text.startsWith('b')]).toEqual([52, false, true])
  expect(part.text.slice(part.marks[0]!.start, part.marks[0]!.end)).toBe(text.slice(110, 120))
  expect(part.places).toEqual([{ start: 0, locator: 'p. 2' }])
  expect(part.shown).toEqual({ start: 53, end: 73 })
})

it('a passage is in the place that begins last before it', () => {
  const marks = [
    { start: 12, end: 14 },
    { start: 3, end: 4 },
    { start: 30, end: 31 },
  ]
  expect(placesOf(marks, PLACES)).toEqual(['p. 2', 'p. 1'])
})

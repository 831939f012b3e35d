import { expect, test } from 'vitest'
import { createIdNumbers } from './id-numbers.ts'

const encoder = new TextEncoder()

function numbersOf(ids: readonly string[]): number[] {
  const numbers = createIdNumbers()
  return ids.map((id) => {
    const bytes = encoder.encode(`before${id}after`)
    return numbers.numberOf(bytes, 'before'.length, bytes.length - 'after'.length)
  })
}

test('each distinct id has one number, in order of first occurrence', () => {
  const ids = Array.from({ length: 50_000 }, (_, at) => `rec_${(at * 7_919).toString(32)}`)
  expect(numbersOf([...ids, ...ids])).toEqual([...ids.keys(), ...ids.keys()])
})

test('an id can be empty, a prefix of another one, or longer than a page', () => {
  const long = 'ü'.repeat(40_000)
  const ids = ['', 'a', 'ab', long, `${long}b`, 'b']
  expect(numbersOf([...ids, ...ids.toReversed()])).toEqual([0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0])
})

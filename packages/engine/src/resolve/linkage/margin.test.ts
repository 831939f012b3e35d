import { describe, expect, it } from 'vitest'
import { createMargin } from './partition.ts'

function leads(pairs: { one: number; other: number; rank: number }[]): (number | undefined)[] {
  const steps = createMargin({ pairs, sourceOf: (place) => (place < 10 ? 'A' : 'B') }, (place) => place)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return pairs.map(step.value)
}

describe('the margin of a pair', () => {
  it("is the difference to the best rival of either subject in the other's source", () => {
    const pairs = [
      { one: 1, other: 11, rank: 9 },
      { one: 1, other: 12, rank: 4 },
      { one: 2, other: 11, rank: 7 },
      { one: 1, other: 2, rank: 20 },
    ]
    expect(leads(pairs).slice(0, 3)).toEqual([2, -5, -2])
  })

  it('is undefined if neither has a rival', () => {
    expect(leads([{ one: 1, other: 11, rank: 9 }])).toEqual([undefined])
  })
})

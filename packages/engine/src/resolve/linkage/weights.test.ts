import { describe, expect, it } from 'vitest'
import { ALL_WORDS, MISSING, NAME } from './compare.ts'
import { scoreOf } from './weights.ts'

const PRIOR = -2
const evidence = [NAME, ALL_WORDS, 2].map((feature) => Float64Array.from([-1, 3 + feature]))
const score = (...levels: number[]) => scoreOf({ prior: PRIOR, evidence }, Int8Array.from(levels))

describe('the odds of a pair', () => {
  it('count words that a name and all words share once, as the stronger of the two', () => {
    expect(score(1, 1, MISSING)).toBe(PRIOR + 4)
    expect(score(1, MISSING, MISSING)).toBe(PRIOR + 3)
  })

  it('count each doubt, and every property by itself', () => {
    expect(score(0, 0, MISSING)).toBe(PRIOR - 2)
    expect(score(1, 0, 1)).toBe(PRIOR + 3 - 1 + 5)
  })
})

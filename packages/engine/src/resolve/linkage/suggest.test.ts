import { describe, expect, it } from 'vitest'
import { type SuggestedPair, type SuggestionInput, suggestedPairs } from './partition.ts'

/** Subjects 0 to 9 are of one source, those from 10 of another. */
const OPEN: Omit<SuggestionInput, 'pairs'> = {
  merged: [],
  isLearned: true,
  sourceOf: (place) => (place < 10 ? 'A' : 'B'),
  isDuplicate: () => false,
  isDeduplicated: () => true,
  nameSimilarity: () => 0.8,
  isBarred: () => false,
}

const pair = (one: number, other: number, score: number): SuggestionInput['pairs'][number] => {
  return { one, other, score, rank: score, shared: 1 }
}
const join = (one: number, other: number) => ({ one, other })

function run(pairs: SuggestionInput['pairs'], more: Partial<SuggestionInput> = {}): SuggestedPair[] {
  const steps = suggestedPairs({ ...OPEN, pairs, ...more })
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
const named = (found: readonly SuggestedPair[]) => found.map(({ one, other }) => `${one} ${other}`)

describe('what is suggested', () => {
  it('is the best remaining match of both, with each entity once and the most probable first', () => {
    const found = run([pair(0, 10, 2), pair(0, 11, 1), pair(1, 11, 6), pair(1, 12, -1)])
    expect(named(found)).toEqual(['1 11', '0 10'])
    for (const { probability } of found) expect(probability).toBeGreaterThan(0.3)
  })

  it('is nothing that is one already, has its partner in the other source, or cannot be one', () => {
    expect(run([pair(0, 10, 5)], { merged: [join(0, 10)] })).toEqual([])
    expect(run([pair(0, 10, 5)], { merged: [join(0, 11)] })).toEqual([])
    expect(run([pair(0, 10, 5)], { isBarred: () => true })).toEqual([])
    expect(named(run([pair(0, 10, 5)], { merged: [join(0, 11)], isDeduplicated: () => false }))).toEqual(['0 10'])
  })

  it('agrees in something, and in its name', () => {
    expect(run([pair(0, 10, -7)])).toEqual([])
    expect(run([pair(0, 10, 5)], { nameSimilarity: () => 0.1 })).toEqual([])
  })

  it('is among few things what experience finds as likely one as two', () => {
    expect(run([pair(0, 10, -0.1)], { isLearned: false })).toEqual([])
    expect(run([pair(0, 10, 0.1)], { isLearned: false })[0]?.probability).toBeCloseTo(0.52, 2)
  })

  it('is of one source only what it may hold twice', () => {
    expect(run([pair(0, 1, 5)])).toEqual([])
    const isDouble = (one: number, other: number) => one + other === 1
    expect(named(run([pair(0, 1, 5), pair(2, 3, 5)], { isDuplicate: isDouble }))).toEqual(['0 1'])
  })

  it('does not count a rival that was merged with either', () => {
    const options = { merged: [join(0, 1)], isDeduplicated: () => false, sourceOf: () => 'A' }
    expect(named(run([pair(0, 5, 3), pair(1, 5, 3.2)], options))).toEqual(['1 5'])
  })
})

import type { RankedRecord } from '@cairnstore/engine/rank'
import { expect, it } from 'vitest'
import { fuse } from './rank-records.ts'

const ranked = (...ids: string[]): RankedRecord[] =>
  ids.map((id, at) => ({ id, score: 1 / (at + 1), entityIds: [], matched: [] }))
const idsOf = (list: RankedRecord[]) => list.map(({ id }) => id)

it('keeps the keyword order if the other ranking is empty or equal', () => {
  expect(fuse(ranked('a', 'b', 'c'), [])).toEqual(ranked('a', 'b', 'c'))
  expect(fuse(ranked('a', 'b', 'c'), [0, 1, 2])).toEqual(ranked('a', 'b', 'c'))
})

it('moves records up by their rank in the other order, and reassigns the scores', () => {
  const fused = fuse(ranked('a', 'b', 'c', 'd', 'e'), [4, 0, 1, 2, 3])
  expect(idsOf(fused)).toEqual(['a', 'e', 'b', 'c', 'd'])
  expect(fused.map(({ score }) => score)).toEqual([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])
})

it('ranks a record that the other order omits by keywords only', () => {
  expect(idsOf(fuse(ranked('a', 'b', 'c'), [2]))).toEqual(['c', 'a', 'b'])
})

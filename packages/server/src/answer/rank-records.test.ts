import type { RankedRecord } from '@cairnstore/engine/rank'
import { expect, it } from 'vitest'
import { fuse } from './rank-records.ts'

const ranked = (...ids: string[]): RankedRecord[] =>
  ids.map((id, at) => ({ id, score: 1 / (at + 1), entityIds: [], matched: [] }))
const idsOf = (list: RankedRecord[]) => list.map(({ id }) => id)

it('keeps the order of the graph where the other order says nothing or the same', () => {
  expect(fuse(ranked('a', 'b', 'c'), [])).toEqual(ranked('a', 'b', 'c'))
  expect(fuse(ranked('a', 'b', 'c'), [0, 1, 2])).toEqual(ranked('a', 'b', 'c'))
})

it('lifts what the other order puts first, by how far, and hands the scores out anew', () => {
  const fused = fuse(ranked('a', 'b', 'c', 'd', 'e'), [4, 0, 1, 2, 3])
  expect(idsOf(fused)).toEqual(['a', 'e', 'b', 'c', 'd'])
  expect(fused.map(({ score }) => score)).toEqual([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])
})

it('counts a record that the other order leaves out by the graph alone', () => {
  expect(idsOf(fuse(ranked('a', 'b', 'c'), [2]))).toEqual(['c', 'a', 'b'])
})

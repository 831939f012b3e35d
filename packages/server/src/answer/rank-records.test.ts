import type { RankedRecord } from '@cairn/engine/rank'
import { expect, it } from 'vitest'
import { fuse, withNear } from './rank-records.ts'

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

const show = (scored: readonly { id: string; score: number }[]) =>
  scored.map((each) => ({ ...each, entityIds: [], matched: [] }))
const near = (...ids: string[]) => ids.map((id, at) => ({ id, likeness: 0.9 - at / 10 }))

it('lifts what both found, and takes in what only the vectors found after the first, by their weight', () => {
  const graph = ranked('a', 'b', 'c', 'd', 'e')
  expect(idsOf(withNear(graph, near('x', 'y'), 0.5, show))).toEqual(['a', 'b', 'c', 'x', 'd', 'e', 'y'])
  expect(idsOf(withNear(graph, near('e', 'x'), 0.5, show))).toEqual(['a', 'e', 'b', 'c', 'd', 'x'])
  expect(idsOf(withNear(ranked('a'), near('x', 'a'), 0.5, show))).toEqual(['a', 'x'])
  expect(idsOf(withNear(graph, near('x', 'y'), 0.7, show))).toEqual(['a', 'x', 'b', 'c', 'y', 'd', 'e'])
  expect(withNear(graph, [], 0.5, show)).toEqual(graph)
})

it('scores what only the vectors found by its likeness, below what the graph found', () => {
  expect(withNear([], near('x', 'y'), 0.5, show).map(({ id, score }) => [id, score])).toEqual([
    ['x', 1],
    ['y', expect.closeTo(0.8 / 0.9)],
  ])
  const scores = withNear(ranked('a', 'b'), near('x', 'b'), 0.5, show).map(({ score }) => score)
  expect(scores).toEqual([1, 0.5, 0.5])
})

it('leaves out what is not shown', () => {
  expect(idsOf(withNear(ranked('a'), near('gone', 'x'), 0.5, (scored) => show(scored.slice(1))))).toEqual(['a', 'x'])
})

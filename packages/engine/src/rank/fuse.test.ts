import { expect, test } from 'vitest'
import { FUSION, fuseNear } from './fuse.ts'

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
/** Returns a graph order whose scores decrease geometrically. */
const ranked = (names: readonly string[], share: number) => names.map((id, at) => ({ id, score: share ** at }))
const near = (names: readonly string[], first: number, step: number) =>
  new Map(names.map((id, at) => [id, first - at * step]))

test('what says the same as the question in other words comes first, though the graph did not find it', () => {
  const likeness = near(['other', ...ids('near', 20)], 0.92, 0.02)
  likeness.set('other', 0.95)
  for (const id of ids('graph', 20)) likeness.set(id, 0.1)
  expect(fuseNear(ranked(ids('graph', 20), 0.98), likeness, 0)[0]).toBe('other')
})

test('if names have full weight and the graph has a clear first record, it stays first', () => {
  const likeness = near([...ids('near', 20)], 0.5, 0.005)
  expect(fuseNear(ranked(ids('graph', 20), 0.5), likeness, 1)[0]).toBe('graph0')
})

test('without vectors the order is that of the graph, and every record comes once', () => {
  const own = ranked(ids('graph', 5), 0.9)
  expect(fuseNear(own, new Map(), 0)).toEqual(ids('graph', 5))
  const both = fuseNear(own, near([...ids('graph', 3), ...ids('near', 3)], 0.6, 0.01), 0)
  expect([...both].sort()).toEqual([...ids('graph', 5), ...ids('near', 3)].sort())
})

test('a record that has no vector keeps its position, and the embedded ones share the others', () => {
  const own = ranked(ids('graph', 6), 0.98)
  const likeness = new Map([
    ['graph1', 0.3],
    ['graph4', 0.9],
    ['near', 0.8],
  ])
  const order = fuseNear(own, likeness, 0)
  expect([order[0], order[2], order[3], order[5]]).toEqual(['graph0', 'graph2', 'graph3', 'graph5'])
  expect(order[1]).toBe('graph4')
  expect([...order].sort()).toEqual([...ids('graph', 6), 'near'].sort())
})

test('the embedded records are in the order that they have where nothing else is there', () => {
  const all = ranked(ids('graph', 12), 0.9)
  const embedded = all.filter((_, at) => at % 3 > 0)
  const likeness = near([...embedded.map(({ id }) => id).reverse(), ...ids('near', 4)], 0.7, 0.03)
  const best = embedded[0]!.score
  const scaled = embedded.map(({ id, score }) => ({ id, score: score / best }))
  const alone = fuseNear(scaled, likeness, 0.2)
  expect(fuseNear(all, likeness, 0.2).filter((id) => likeness.has(id))).toEqual(alone)
})

test('shares are between 0 and 1, and vectors count less the more weight names have', () => {
  for (const share of [FUSION.graphPlace, FUSION.nearPlace]) {
    expect(share).toBeGreaterThanOrEqual(0)
    expect(share).toBeLessThanOrEqual(1)
  }
  expect(FUSION.share.names).toBeLessThan(0)
})

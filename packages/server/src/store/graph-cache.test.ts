import { expect, test } from 'vitest'
import { GraphCache } from './graph-cache.ts'

const MIB = 2 ** 20
const BOUNDS = { graphBytesMax: 100 * MIB, smallGraphBytesMax: 4 * MIB }

/** Adds a graph of this size as the most recently used, and evicts others as needed. */
function hold(held: GraphCache<string>, id: string, bytes: number): void {
  held.updateSize(
    id,
    held.use(id, () => id),
    bytes,
  )
  held.evict()
}

test('small indexes evict only small ones, the least recently used first', () => {
  const held = new GraphCache<string>(BOUNDS)
  hold(held, 'large', 90 * MIB)
  for (const id of ['one', 'two', 'three', 'four']) hold(held, id, MIB)
  hold(held, 'one', MIB)
  hold(held, 'five', MIB)
  const isHeld = (id: string) => held.find(id) !== undefined
  expect(['large', 'one', 'two', 'three', 'four', 'five'].filter(isHeld)).toEqual([
    'large',
    'one',
    'three',
    'four',
    'five',
  ])
  expect(held.bytes).toBe(94 * MIB)
})

test('all indexes together stay within the limit, and the last used one stays', () => {
  const held = new GraphCache<string>(BOUNDS)
  hold(held, 'small', MIB)
  hold(held, 'large', 60 * MIB)
  hold(held, 'larger', 70 * MIB)
  expect(held.find('small')).toBeUndefined()
  expect(held.find('large')).toBeUndefined()
  expect(held.bytes).toBe(70 * MIB)
  hold(held, 'largest', 200 * MIB)
  expect(held.find('larger')).toBeUndefined()
  expect(held.bytes).toBe(200 * MIB)
})

test('an index that grew large no longer counts as small', () => {
  const held = new GraphCache<string>(BOUNDS)
  hold(held, 'growing', MIB)
  hold(held, 'growing', 50 * MIB)
  for (const id of ['one', 'two', 'three', 'four']) hold(held, id, MIB)
  expect(held.find('growing')).toBe('growing')
  expect(held.find('one')).toBe('one')
})

test('an evicted index is not counted any more', () => {
  const held = new GraphCache<object>(BOUNDS)
  const first = held.use('one', () => ({}))
  held.drop('one')
  held.use('one', () => ({}))
  held.updateSize('one', first, MIB)
  expect(held.bytes).toBe(0)
})

import { expect, it } from 'vitest'
import { createRecordCache } from './record-cache.ts'

it('evicts the least recently used values once it is full', () => {
  const cache = createRecordCache<string>(20)
  cache.put('a', 'A', 10)
  cache.put('b', 'B', 10)
  cache.get('a')
  cache.put('c', 'C', 10)
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A', undefined, 'C'])
})

it('counts a replaced value once', () => {
  const cache = createRecordCache<string>(20)
  for (let time = 0; time < 5; time++) cache.put('a', 'A', 10)
  cache.put('b', 'B', 10)
  expect([cache.get('a'), cache.get('b')]).toEqual(['A', 'B'])
})

it('stores no value that is larger than the cache', () => {
  const cache = createRecordCache<string>(20)
  cache.put('a', 'A', 21)
  expect(cache.get('a')).toBeUndefined()
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bestExactly, bestPlaces } from './best.ts'
import { addRecordAt } from './record-ids.ts'
import { createStore } from './store.ts'

const LIMIT = 5

/** A store whose record places tie in the order of their numbers. */
function storeOf(places: number) {
  const store = createStore()
  store.recordTies = Float64Array.from({ length: places }, (_, place) => place)
  store.recordNumbers = new Uint32Array(places)
  for (let place = 0; place < places; place++) addRecordAt(store, `rec_${place}`, [place])
  return store
}

test('what is looked at closely is the best of all, as long as a bound is an upper one', () => {
  const scores = fc.array(fc.record({ bound: fc.nat(9), part: fc.nat(9) }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(scores, (list) => {
      const store = storeOf(list.length)
      const places = list.map((_, place) => place)
      const exact = Float64Array.from(list, ({ bound, part }) => Math.min(bound, part))
      const bounds = Float64Array.from(list, ({ bound }) => bound)
      const best = bestExactly(store, places, bounds, LIMIT, (place) => exact[place]!)
      expect(best).toEqual(bestPlaces(store, places, places.length, exact, LIMIT))
    }),
  )
})

test('of very many that only seem to count, few are looked at', () => {
  const count = 100_000
  const store = storeOf(count)
  let looks = 0
  const best = bestExactly(store, [...store.recordTies], new Float64Array(count).fill(1), LIMIT, (place) => {
    looks += 1
    return place === 3 ? 1 : 0
  })
  expect(best.map(({ place }) => place)).toEqual([3])
  expect(looks).toBeLessThan(count / 50)
})

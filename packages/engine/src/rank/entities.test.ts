import { expect, test } from 'vitest'
import { plainKeyHash as hash } from '../text/names.ts'
import { ownersOf, putEntity, removeEntity } from './entities.ts'
import { findOrdinal } from './id-table.ts'
import { eachSegment, findList } from './postings.ts'
import { createStore, type GraphStore, getOrCreateKey } from './store.ts'

const put = (store: GraphStore, id: string, ...names: string[]) =>
  putEntity(store, { id, type: 'person', keys: names.map(hash) })
const owners = (store: GraphStore, name: string) => [...ownersOf(store, findList(store.keys, hash(name)))]
const placesOf = (store: GraphStore, ...ids: string[]) => ids.map((id) => findOrdinal(store.entityTable, id))

test('a replaced entity is found only by its new names', () => {
  const store = createStore()
  put(store, 'a', 'Ana', 'A. Lima')
  put(store, 'b', 'Ana', 'Ben')
  put(store, 'a', 'Ana', 'Lima')
  expect(owners(store, 'Ana')).toEqual(placesOf(store, 'a', 'b'))
  expect(owners(store, 'Lima')).toEqual(placesOf(store, 'a'))
  expect(findList(store.keys, hash('A. Lima'))).toBe(-1)
  put(store, 'b', 'Ben')
  expect(owners(store, 'Ana')).toEqual(placesOf(store, 'a'))
  removeEntity(store, 'a')
  expect(findList(store.keys, hash('Ana'))).toBe(-1)
  expect(owners(store, 'Ben')).toEqual(placesOf(store, 'b'))
})

test('an entity that is put again looks at no others of the names that it keeps', () => {
  const store = createStore()
  const ids = Array.from({ length: 50 }, (_, at) => `e${at}`)
  for (const id of ids) put(store, id, 'Ana', id)
  const written = () => {
    const places: number[] = []
    eachSegment(store.manyOwners, findList(store.manyOwners, getOrCreateKey(store, hash('Ana'))), (page, from, to) =>
      places.push(...page.subarray(from, to)),
    )
    return places
  }
  const before = written()
  put(store, 'e7', 'Ana', 'Another')
  expect(written()).toEqual(before)
})

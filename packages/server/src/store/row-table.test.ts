import { addId, createIdTable, removeId } from '@cairnstore/engine/rank'
import { expect, it } from 'vitest'
import { createEntityRowTable, entityIdsOf, putEntityRow, putRow, rowOf } from './row-table.ts'

it('an entity is found by its id and type until it is removed', () => {
  const table = createIdTable()
  for (const id of ['ent_a', 'ent_b', 'ent_c']) addId(table, id)
  const places = createEntityRowTable(table)
  putEntityRow(places, 'ent_a', 7, 'person')
  putEntityRow(places, 'ent_b', 2 ** 40, 'place')
  putEntityRow(places, 'ent_c', 9, 'person')
  expect(['ent_a', 'ent_b', 'ent_x'].map((id) => rowOf(places, id))).toEqual([7, 2 ** 40, undefined])
  expect(entityIdsOf(places, 'person')).toEqual(['ent_a', 'ent_c'])
  expect(entityIdsOf(places, 'no type')).toEqual([])
  putRow(places, 'ent_a', 3)
  putRow(places, 'ent_x', 4)
  putEntityRow(places, 'ent_c', 9, 'place')
  removeId(table, 'ent_b')
  expect([...['ent_a', 'ent_b', 'ent_x'].map((id) => rowOf(places, id))]).toEqual([3, undefined, undefined])
  expect([entityIdsOf(places, undefined), entityIdsOf(places, 'place')]).toEqual([['ent_a', 'ent_c'], ['ent_c']])
})

import { expect, it } from 'vitest'
import { firstRows } from './apply.ts'

const MIB = 1024 * 1024
const row = (id: number, bytes: number, records = 1, attempts = 0) => ({ id, bytes, record_count: records, attempts })
const taken = (rows: ReturnType<typeof row>[]) => firstRows(rows).map(({ id }) => id)

it('a batch is limited in records and in bytes, because it is processed in memory as a whole', () => {
  const large = Array.from({ length: 500 }, (_, id) => row(id, MIB, 3))
  expect(taken(large)).toEqual([0, 1, 2, 3])
  const many = Array.from({ length: 5 }, (_, id) => row(id, 1_000, 400))
  expect(taken(many)).toEqual([0, 1])
})

it('a row beyond the limits is a batch of its own, and so is one that failed before', () => {
  expect(taken([row(1, 40 * MIB), row(2, 1)])).toEqual([1])
  expect(taken([row(1, 1), row(2, 1, 1, 1)])).toEqual([1])
  expect(taken([row(2, 1, 1, 1), row(3, 1)])).toEqual([2])
})

import { expect, it } from 'vitest'
import { nextOrder, sortRows } from './sort-rows.ts'

it('numbers sort by value and texts as people sort them, with empty cells last in both directions', () => {
  const rows = [{ v: 10 }, { v: null }, { v: 9 }]
  expect(sortRows(rows, ({ v }) => v, false).map(({ v }) => v)).toEqual([9, 10, null])
  expect(sortRows(rows, ({ v }) => v, true).map(({ v }) => v)).toEqual([10, 9, null])
  expect(sortRows(['b', 'Ä', 'item 10', 'item 9'], (text) => text, false)).toEqual(['Ä', 'b', 'item 9', 'item 10'])
})

it('a column is sorted up, then down, then not', () => {
  const up = nextOrder(undefined, 1)
  expect(up).toEqual({ column: 1, isDescending: false })
  expect(nextOrder(up, 1)).toEqual({ column: 1, isDescending: true })
  expect(nextOrder({ column: 1, isDescending: true }, 1)).toBeUndefined()
  expect(nextOrder(up, 2)).toEqual({ column: 2, isDescending: false })
})

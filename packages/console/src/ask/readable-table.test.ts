import { expect, it } from 'vitest'
import { readableTable } from './readable-table.ts'

const RECORD = 'rec_01arz3ndektsv4rrffq69g5fav'
const labels = (names: string[], rows: (string | number | null)[][]) =>
  readableTable(names, rows).columns.map(({ label }) => label)

it('a table leads with the title, and shows no ids and no empty columns', () => {
  const rows = [[RECORD, 'a/b', '2026-03-01T10:00:00.000Z', 12, 'Pump 7', null]]
  const table = readableTable(['record_id', 'external_id', 'occurred_at', 'price', 'title', 'owner'], rows)
  expect(table.columns.map(({ label }) => label)).toEqual(['Title', 'Occurred at', 'Price'])
  expect(table.recordIdOf(rows[0]!)).toBe(RECORD)
})

it('ids are shown if there is nothing else', () => {
  expect(labels(['record_id'], [[RECORD]])).toEqual(['Record ID'])
})

it('days and times are written for people, and months and other texts stay', () => {
  const [first, second, third] = readableTable(
    ['a', 'b', 'month'],
    [['2026-03-01', '2026-03-01T00:00:00.000Z', '2026-03']],
  ).columns
  expect(first!.format('2026-03-01')).toMatch(/Mar.*2026/)
  expect(second!.format('2026-03-01T00:00:00.000Z')).toBe(first!.format('2026-03-01'))
  expect(third!.format('2026-03')).toBe('2026-03')
  expect(first!.format(null)).toBe('–')
})

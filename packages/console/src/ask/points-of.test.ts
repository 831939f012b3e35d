import { expect, it } from 'vitest'
import { pointsOf } from './points-of.ts'

it('rows of dates with one number become data points in order of time', () => {
  const rows = [
    ['2026-03', 4],
    ['2026-01', 2],
    ['2026-02', 9],
  ]
  expect(pointsOf(rows)?.map(({ name, value }) => [name, value])).toEqual([
    ['2026-01', 2],
    ['2026-02', 9],
    ['2026-03', 4],
  ])
  expect(
    pointsOf([
      ['2024', 1],
      ['2025', 2],
      ['2026', 3],
    ]),
  ).toHaveLength(3)
})

it('other rows, too few rows, or rows with several numbers give no data points', () => {
  const others = [
    [
      ['2026-01', 1],
      ['2026-02', 2],
    ],
    [
      ['red', 1],
      ['blue', 2],
      ['2026', 3],
    ],
    [
      ['2026-01', 1],
      ['2026-02', null],
      ['2026-03', 3],
    ],
    [
      ['2026-01', 1, 2],
      ['2026-02', 1, 2],
      ['2026-03', 1, 2],
    ],
    [
      ['20261', 1],
      ['2026-1', 2],
      ['2026-99', 3],
    ],
    [],
  ]
  for (const rows of others) expect(pointsOf(rows)).toBeUndefined()
})

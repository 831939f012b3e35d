import { expect, it } from 'vitest'
import { backoffMs } from './due.ts'

const least = () => 0
const most = () => 0.999_999

it('a provider that asks for an hour is asked again after a quarter of one, and nonsense is no wish', () => {
  expect(backoffMs(1, 3_600_000, least)).toBe(900_000)
  expect(backoffMs(1, 120_000, least)).toBe(120_000)
  expect(backoffMs(1, undefined, least)).toBe(5_000)
})

it('a provider that keeps failing is left alone longer each time, and never for more than an hour', () => {
  const waits = Array.from({ length: 30 }, (_, failures) => backoffMs(failures, undefined, most))
  expect(waits.slice(0, 4)).toEqual([15_000, 30_000, 60_000, 120_000])
  expect(Math.max(...waits)).toBeLessThanOrEqual(3_600_000)
})

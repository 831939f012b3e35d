import { expect, it } from 'vitest'
import { backoffMs } from './due.ts'

const least = () => 0
const most = () => 0.999_999

it('a Retry-After of an hour is capped at 15 minutes, and an invalid one is ignored', () => {
  expect(backoffMs(1, 3_600_000, least)).toBe(900_000)
  expect(backoffMs(1, 120_000, least)).toBe(120_000)
  expect(backoffMs(1, undefined, least)).toBe(5_000)
})

it('a failing provider is retried with exponential backoff, at most an hour', () => {
  const waits = Array.from({ length: 30 }, (_, failures) => backoffMs(failures, undefined, most))
  expect(waits.slice(0, 4)).toEqual([15_000, 30_000, 60_000, 120_000])
  expect(Math.max(...waits)).toBeLessThanOrEqual(3_600_000)
})

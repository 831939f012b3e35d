import { expect, it } from 'vitest'
import { openBodyQuota, openBodyQuotas } from './body-quota.ts'

const MIB = 2 ** 20

it('limits a holder’s bodies and the total, and reports which limit is exceeded', () => {
  const budget = openBodyQuota({ bytes: 100, bytesOfHolder: 60 })
  const first = budget.reserve('a', 50)
  expect(() => budget.reserve('a', 11)).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }))
  const other = budget.reserve('b', 50)
  expect(() => budget.reserve('c', 1)).toThrow(expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 }))
  first.release()
  first.release()
  budget.reserve('c', 50)
  expect(() => other.resize(51)).toThrow(expect.objectContaining({ code: 'unavailable' }))
  other.resize(10)
  budget.reserve('d', 40)
})

it('a released reservation no longer counts and cannot be resized', () => {
  const budget = openBodyQuota({ bytes: 10, bytesOfHolder: 10 })
  const held = budget.reserve('a', 10)
  held.release()
  held.resize(10)
  budget.reserve('b', 10)
})

it('fits the largest body for every heap size, and little more for a small heap', () => {
  const { large, unknown } = openBodyQuotas(160 * MIB)
  const held = large.reserve('a', 16 * MIB)
  expect(() => large.reserve('b', 16 * MIB)).toThrow()
  held.release()
  large.reserve('b', 16 * MIB)
  for (let count = 0; count < 2; count += 1) unknown.reserve('c', MIB)
  expect(() => unknown.reserve('c', MIB)).toThrow(expect.objectContaining({ code: 'rate_limited' }))
})

import { expect, it } from 'vitest'
import { openBodyBudget, openBodyBudgets } from './body-budget.ts'

const MIB = 2 ** 20

it('limits a holder’s bodies and the total, and reports which limit is exceeded', () => {
  const budget = openBodyBudget({ bytes: 100, bytesOfHolder: 60 })
  const first = budget.hold('a', 50)
  expect(() => budget.hold('a', 11)).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }))
  const other = budget.hold('b', 50)
  expect(() => budget.hold('c', 1)).toThrow(expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 }))
  first.release()
  first.release()
  budget.hold('c', 50)
  expect(() => other.resize(51)).toThrow(expect.objectContaining({ code: 'unavailable' }))
  other.resize(10)
  budget.hold('d', 40)
})

it('a released reservation no longer counts and cannot be resized', () => {
  const budget = openBodyBudget({ bytes: 10, bytesOfHolder: 10 })
  const held = budget.hold('a', 10)
  held.release()
  held.resize(10)
  budget.hold('b', 10)
})

it('fits the largest body for every heap size, and little more for a small heap', () => {
  const { large, unknown } = openBodyBudgets(160 * MIB)
  const held = large.hold('a', 16 * MIB)
  expect(() => large.hold('b', 16 * MIB)).toThrow()
  held.release()
  large.hold('b', 16 * MIB)
  for (let count = 0; count < 2; count += 1) unknown.hold('c', MIB)
  expect(() => unknown.hold('c', MIB)).toThrow(expect.objectContaining({ code: 'rate_limited' }))
})

import { expect, it } from 'vitest'
import { createActivityGauge } from './yield-point.ts'

const LONG_MS = 60_000
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('continues waiting callers when the last activity ends, and not earlier', async () => {
  const work = createActivityGauge()
  expect(work.whenIdle(LONG_MS)).toBeUndefined()
  const [endFirst, endSecond] = [work.begin(), work.begin()]
  let isResting = true
  const rested = work.whenIdle(LONG_MS)?.then(() => {
    isResting = false
  })
  endFirst()
  endFirst()
  await turn()
  expect(isResting).toBe(true)
  endSecond()
  await rested
  expect(work.whenIdle(LONG_MS)).toBeUndefined()
})

it('limits the wait to the requested time', async () => {
  const work = createActivityGauge()
  work.begin()
  await work.whenIdle(1)
  expect(work.whenIdle(1)).toBeDefined()
})

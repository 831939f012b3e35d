import { afterEach, expect, it, vi } from 'vitest'
import { createActivityGauge, createYieldPoint } from './yield-point.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('yields to a waiting task once its slice is over, and not earlier', async () => {
  let nowMs = 0
  const breathe = createYieldPoint(5, undefined, () => nowMs)
  let isIn = false
  setImmediate(() => {
    isIn = true
  })
  await breathe()
  expect(isIn).toBe(false)
  nowMs = 6
  await breathe()
  expect(isIn).toBe(true)
})

it('yields to running work, but continues eventually', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const others = createActivityGauge()
  const end = others.begin()
  const breathe = createYieldPoint(0, others)
  let hasBreathed = false
  const yieldPoint = breathe()?.then(() => {
    hasBreathed = true
  })
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  expect(hasBreathed).toBe(false)
  vi.runAllTimers()
  await yieldPoint
  end()
  await breathe()
})

import { expect, it } from 'vitest'
import { createAtWork, createYieldPoint } from './yield-point.ts'

it('lets a waiting task in once its slice is over, and not before', async () => {
  const breathe = createYieldPoint(5)
  let isIn = false
  setImmediate(() => {
    isIn = true
  })
  await breathe()
  expect(isIn).toBe(false)
  const end = performance.now() + 6
  while (performance.now() < end);
  await breathe()
  expect(isIn).toBe(true)
})

it('gives way to what is at work, but goes on in the end', async () => {
  const others = createAtWork()
  const end = others.begin()
  const breathe = createYieldPoint(0, others)
  let hasBreathed = false
  const yieldPoint = breathe()?.then(() => {
    hasBreathed = true
  })
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  expect(hasBreathed).toBe(false)
  await yieldPoint
  end()
  await breathe()
})

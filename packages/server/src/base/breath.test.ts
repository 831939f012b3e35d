import { expect, it } from 'vitest'
import { createAtWork } from './at-work.ts'
import { createBreath } from './breath.ts'

it('lets a waiting task in once its slice is over, and not before', async () => {
  const breathe = createBreath(5)
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
  const breathe = createBreath(0, others)
  let hasBreathed = false
  const breath = breathe()?.then(() => {
    hasBreathed = true
  })
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  expect(hasBreathed).toBe(false)
  await breath
  end()
  await breathe()
})

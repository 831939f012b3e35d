import { expect, it } from 'vitest'
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

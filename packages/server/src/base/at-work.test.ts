import { expect, it } from 'vitest'
import { createAtWork } from './yield-point.ts'

const LONG_MS = 60_000
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('lets whoever waits go on when the last of the work ends, and not before', async () => {
  const work = createAtWork()
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

it('lets nobody wait for longer than asked', async () => {
  const work = createAtWork()
  work.begin()
  await work.whenIdle(1)
  expect(work.whenIdle(1)).toBeDefined()
})

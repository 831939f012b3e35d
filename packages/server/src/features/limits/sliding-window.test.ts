import { expect, it } from 'vitest'
import { TestClock } from '../../../../../tests/harness/test-clock.ts'
import { openSlidingWindows } from './sliding-window.ts'

it('no 60 seconds see more than the limit, wherever they begin', () => {
  const clock = new TestClock()
  const take = openSlidingWindows(clock)
  const grantedAt: number[] = []
  for (let step = 0; step < 2_000; step += 1) {
    if (take('one', 100).granted) grantedAt.push(clock.now().getTime())
    clock.advance((step * 37) % 400)
  }
  for (const from of grantedAt) {
    expect(grantedAt.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(100)
  }
  expect(grantedAt.length).toBeGreaterThan(500)
})

it('says when there is room again, and keeps subjects apart', () => {
  const clock = new TestClock()
  const take = openSlidingWindows(clock)
  expect(take('one', 2)).toEqual({ granted: true, remaining: 1, resetSeconds: 0 })
  clock.advance(10_000)
  expect(take('one', 2)).toMatchObject({ granted: true, remaining: 0 })
  const refused = take('one', 2)
  expect(refused).toMatchObject({ granted: false, remaining: 0 })
  expect(take('two', 2).granted).toBe(true)
  clock.advance((refused.resetSeconds - 1) * 1000)
  expect(take('one', 2).granted).toBe(false)
  clock.advance(1000)
  expect(take('one', 2).granted).toBe(true)
})

it('a clock that is set back starts anew', () => {
  const clock = new TestClock()
  const take = openSlidingWindows(clock)
  expect(take('one', 1).granted).toBe(true)
  clock.advance(-3_600_000)
  expect(take('one', 1).granted).toBe(true)
})

import { expect, it } from 'vitest'
import { openLoopShares } from './event-loop.ts'

/** Creates a clock and event loop load that the test controls. */
function made() {
  const clock = { now: 0, busy: 0 }
  const shares = openLoopShares({ nowMs: () => clock.now, busyMs: () => clock.busy })
  const pass = (ms: number, isBusy = true) => {
    clock.now += ms
    if (isBusy) clock.busy += ms
  }
  /** Keeps the loop busy for this long with consecutive requests of one tenant. */
  const work = (tenant: string, ms: number, each = 50) => {
    for (let done = 0; done < ms; done += each) {
      const share = shares.begin(tenant)
      pass(each)
      share.pause()
    }
  }
  return { shares, pass, work }
}

it('never delays a single tenant, however busy the loop is', () => {
  const { shares, work } = made()
  work('loud', 2_000)
  for (let count = 0; count < 20; count += 1) {
    expect(shares.mayBegin('loud')).toBe(true)
    shares.begin('loud')
  }
})

it('delays nobody while the loop has idle time', () => {
  const { shares, pass } = made()
  for (let count = 0; count < 50; count += 1) {
    const one = shares.begin('a')
    const other = shares.begin('b')
    pass(5)
    pass(45, false)
    one.pause()
    other.pause()
    expect(shares.mayBegin('a') && shares.mayBegin('b')).toBe(true)
  }
})

it('prefers the tenant that used less time', () => {
  const { shares, pass, work } = made()
  work('loud', 1_500)
  work('quiet', 10, 10)
  work('loud', 60, 60)
  expect(shares.mayBegin('loud')).toBe(false)
  expect(shares.mayBegin('quiet')).toBe(true)
  work('quiet', 50, 10)
  expect(shares.mayBegin('loud')).toBe(true)
  work('loud', 60, 60)
  expect(shares.mayBegin('loud')).toBe(false)
  pass(100)
  expect(shares.mayBegin('loud'), 'does not wait for tenants without work').toBe(true)
})

it('gives an idle tenant no credit', () => {
  const { shares, work } = made()
  work('quiet', 10, 10)
  work('loud', 5_000)
  const before = shares.spentMs('loud')
  work('quiet', 10, 10)
  expect(shares.spentMs('quiet')).toBeGreaterThanOrEqual(before)
})

it('starts waiting requests when there is capacity, and resumes paused ones in order', async () => {
  const { shares, work } = made()
  work('loud', 1_500)
  work('quiet', 10, 10)
  const first = shares.begin('loud')
  let isResumed = false
  const second = shares.begin('loud')
  second.pause()
  const again = second.resume().then(() => {
    isResumed = true
  })
  await Promise.resolve()
  expect(isResumed).toBe(false)
  first.pause()
  await again
  expect(isResumed).toBe(true)
})

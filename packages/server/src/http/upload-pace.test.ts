import { expect, it } from 'vitest'
import type { Fault } from '../base/fault.ts'
import { openUploadPace } from './upload-pace.ts'

const MINUTE_MS = 60_000
let nowMs = 0
const limits = { totalMs: 10 * MINUTE_MS, bytesPerSecond: 1_000, windowMs: 30_000, nowMs: () => nowMs }

/** Feeds chunks of this size, each after this wait and followed by this work. Returns the code of the final fault. */
function endOf(pieces: number, { bytes = 0, waitedMs = 0, workedMs = 0 }): string {
  const pace = openUploadPace(limits)
  try {
    for (let piece = 0; piece < pieces; piece += 1) {
      pace.waits()
      nowMs += waitedMs
      pace.came(bytes)
      nowMs += workedMs
    }
    return 'arrived'
  } catch (fault) {
    return (fault as Fault).code
  }
}

it('a too slow upload is aborted, and one at the minimum rate completes', () => {
  expect(endOf(4, { bytes: 1, waitedMs: 10_000 })).toBe('request_timeout')
  expect(endOf(40, { bytes: 10_000, waitedMs: 10_000 })).toBe('arrived')
})

it('a stall is allowed if the rest of the window compensates for it, and small uploads may take a window', () => {
  expect(endOf(1, { bytes: 30_000, waitedMs: 30_000 })).toBe('arrived')
  expect(endOf(2, { bytes: 10, waitedMs: 14_000 })).toBe('arrived')
})

it('the service’s own processing time counts against the total but not against the rate', () => {
  expect(endOf(5, { bytes: 10, waitedMs: 1_000, workedMs: MINUTE_MS })).toBe('arrived')
  expect(endOf(20, { bytes: 1_000_000, waitedMs: 1, workedMs: MINUTE_MS })).toBe('request_timeout')
})

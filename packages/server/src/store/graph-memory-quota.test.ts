import { afterEach, expect, test, vi } from 'vitest'
import { createGraphMemoryQuota } from './graph-memory-quota.ts'

const BYTES_MAX = 1_000_000
const TOO_LARGE = expect.objectContaining({ reason: 'sandbox_too_large', status: 503 })
const EMPTY = () => 0
const refusal = (act: () => void): unknown => {
  try {
    act()
    return undefined
  } catch (error) {
    return error
  }
}

afterEach(() => {
  vi.useRealTimers()
})

test('an index that does not fit is rejected, and not retried for a while', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const room = createGraphMemoryQuota(BYTES_MAX, EMPTY)
  room.assertFits('fits', BYTES_MAX)
  room.assertKnownToFit('fits')
  expect(refusal(() => room.assertFits('large', BYTES_MAX + 1))).toEqual(TOO_LARGE)
  expect(refusal(() => room.assertKnownToFit('large'))).toEqual(TOO_LARGE)
  vi.advanceTimersByTime(11 * 60_000)
  room.assertKnownToFit('large')
  expect(refusal(() => room.assertFits('large', BYTES_MAX + 1))).toEqual(TOO_LARGE)
  room.forget('large')
  room.assertKnownToFit('large')
  expect(room.rejectFull('full')).toEqual(TOO_LARGE)
  expect(refusal(() => room.assertKnownToFit('full'))).toEqual(TOO_LARGE)
})

test('too many rows for the memory are rejected before any is read', () => {
  const room = createGraphMemoryQuota(BYTES_MAX, EMPTY)
  room.assertRowsFit('fits', { records: 5_000, entities: 5_000 })
  expect(refusal(() => room.assertRowsFit('records', { records: 8_000, entities: 0 }))).toEqual(TOO_LARGE)
  expect(refusal(() => room.assertRowsFit('entities', { records: 0, entities: 16_000 }))).toEqual(TOO_LARGE)
})

test('an index stops growing before it is too large for questions', () => {
  const room = createGraphMemoryQuota(BYTES_MAX, EMPTY)
  expect(room.growthLeft(0)).toEqual({ records: 854, bytes: 109_375 })
  expect(room.growthLeft(BYTES_MAX / 2)).toEqual({ records: 366, bytes: 46_875 })
  expect(room.growthLeft(BYTES_MAX)).toEqual({ records: 0, bytes: 0 })
  expect(room.growthLeft(0, 2 ** 24)).toEqual(room.growthLeft(0))
  expect(room.growthLeft(0, 1_000)).toEqual({ records: 0, bytes: 0 })
})

test('an index is rejected while the heap of the process is nearly full', () => {
  const shares = [0.5, 0.99]
  const room = createGraphMemoryQuota(BYTES_MAX, () => shares.shift() ?? 0)
  room.assertFits('early', 1)
  expect(refusal(() => room.assertFits('late', 1))).toEqual(TOO_LARGE)
})

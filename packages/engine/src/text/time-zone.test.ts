import { expect, test } from 'vitest'
import { civilDayIn, instantOf, isTimeZone, offsetOf } from './time-zone.ts'

const HOUR_MS = 3_600_000

test('zones are IANA names and offsets', () => {
  expect(['UTC', 'Europe/Berlin', 'America/New_York', '+02:00', '-0930'].map(isTimeZone)).toEqual(Array(5).fill(true))
  expect(['', 'Berlin', 'Mars/Base', '2', 'Europe/'].map(isTimeZone)).toEqual(Array(5).fill(false))
})

test('an offset follows the clocks of the zone', () => {
  expect(offsetOf('Europe/Berlin', Date.UTC(2026, 0, 15))).toBe(HOUR_MS)
  expect(offsetOf('Europe/Berlin', Date.UTC(2026, 6, 15))).toBe(2 * HOUR_MS)
  expect(offsetOf('Asia/Kolkata', 0)).toBe(5.5 * HOUR_MS)
  expect(offsetOf('-09:30', 0)).toBe(-9.5 * HOUR_MS)
  expect(offsetOf('UTC', 0)).toBe(0)
})

test('a civil time is an instant: the first of two in autumn, the change itself in spring', () => {
  const at = (zone: string, ...civil: [number, number, number, number?]) =>
    new Date(instantOf(zone, Date.UTC(...civil))).toISOString()
  expect(at('Europe/Berlin', 2026, 2, 30)).toBe('2026-03-29T22:00:00.000Z')
  expect(at('Europe/Berlin', 2026, 9, 25, 2)).toBe('2026-10-25T00:00:00.000Z')
  expect(at('Europe/Berlin', 2026, 2, 29, 2)).toBe('2026-03-29T01:00:00.000Z')
  expect(at('America/New_York', 2026, 2, 30)).toBe('2026-03-30T04:00:00.000Z')
  expect(instantOf('UTC', Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
})

test('the day of an instant is that of the zone', () => {
  const atMs = Date.parse('2026-03-30T23:30:00Z')
  expect(civilDayIn('UTC', atMs)).toBe('2026-03-30')
  expect(civilDayIn('Asia/Tokyo', atMs)).toBe('2026-03-31')
  expect(civilDayIn('America/New_York', Date.parse('2026-03-30T02:00:00Z'))).toBe('2026-03-29')
})

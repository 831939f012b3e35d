import { expect, test } from 'vitest'
import { instantOf } from './clock.ts'

test('every RFC 3339 notation of a time gives the same instant', () => {
  const written = {
    '2026-03-14T09:26:53Z': '2026-03-14T09:26:53.000Z',
    '2026-03-14t09:26:53.123456789z': '2026-03-14T09:26:53.123Z',
    '2026-03-14 09:26:53+05:30': '2026-03-14T03:56:53.000Z',
    '2026-03-14T09:26:53-05': '2026-03-14T14:26:53.000Z',
    '2026-03-14T09:26:53+0530': '2026-03-14T03:56:53.000Z',
    '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
    '2026-03-10': '2026-03-10T00:00:00.000Z',
  }
  for (const [text, utc] of Object.entries(written)) expect(instantOf(text)?.toISOString(), text).toBe(utc)
})

test('a leap second is the second after it', () => {
  expect(instantOf('2016-12-31T23:59:60Z')?.toISOString()).toBe('2017-01-01T00:00:00.000Z')
  expect(instantOf('2017-01-01T05:29:60.5+05:30')?.toISOString()).toBe('2017-01-01T00:00:00.500Z')
})

test('a time outside the years 0001 to 9999 (UTC) is rejected', () => {
  const none = ['0000-12-31T00:00:00Z', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59', 'now', '0000-01-01']
  for (const text of none) expect(instantOf(text), text).toBeUndefined()
})

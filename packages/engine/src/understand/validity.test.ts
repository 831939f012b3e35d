import { expect, test } from 'vitest'
import { dayNumber, dayOf, writeIsoDay } from '../text/civil-date.ts'
import { validityOf } from './validity.ts'

const WRITTEN_ON = dayNumber(2026, 2, 20)

function periods(text: string): string[] {
  const day = (ms: number, shift: number) => (Number.isFinite(ms) ? writeIsoDay(dayOf(ms) - shift) : '')
  return validityOf(text, WRITTEN_ON).map(({ fromMs, toMs }) => `${day(fromMs, 0)}..${day(toMs, 1)}`)
}

test.each([
  ['From 1 July the kiosk opens at 9.', '2026-07-01..'],
  ['Until 30 April parking is free.', '..2026-04-30'],
  ['Since 1 April Olaf leads the choir.', '2025-04-01..'],
  ['Emil Dahl was chair between 2021 and 2024.', '2021-01-01..2024-12-31'],
  ['Rosa Lind was chair from 2018 to 2021.', '2018-01-01..2021-12-31'],
  ['From 3 to 20 March 2026 the bridge was shut.', '2026-03-03..2026-03-20'],
  ['The pool is closed from December to February.', '2025-12-01..2026-02-28'],
  ['The tariff applies as of 1 May 2026.', '2026-05-01..'],
  ['The pool is free until the end of June.', '..2026-06-30'],
  ['Until the end of May the pool is free for staff.', '..2026-05-31'],
  ['The pool is open from the end of June.', '2026-06-30..'],
])('%s', (text, expected) => {
  expect(periods(text)).toEqual([expected])
})

test.each([
  'The launch was moved from 1 May to 5 May.',
  'The kiosk opens at 9.',
  'The invoice of 1 May is paid.',
  'Mail from Ida about the kiosk.',
  'The pool is closed until the beginning of June.',
])('states no period: %s', (text) => {
  expect(periods(text)).toEqual([])
})

import { expect, test } from 'vitest'
import { absoluteDays } from './relative-days.ts'

const FRIDAY = Date.UTC(2026, 5, 12)

test.each([
  ['It broke eight days ago.', '4 June 2026'],
  ['It broke twelve days ago.', '31 May 2026'],
  ['We met last Monday.', '8 June 2026'],
  ['We meet next week.', '15 June 2026 to 21 June 2026'],
])('a relative day is counted from the day of its record: %s', (text, day) => {
  expect(absoluteDays(text, FRIDAY).notes[0]).toMatch(new RegExp(` is ${day}$`))
})

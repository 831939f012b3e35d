import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  civilOf,
  dateToken,
  dayNumber,
  dayOf,
  parseIsoDay,
  rangeToken,
  renderDates,
  weekdayOf,
  writeDay,
} from './civil-date.ts'

const day = (text: string): number => parseIsoDay(text)!

describe('civil dates', () => {
  it('turn into day numbers and back for every day', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), (number) => {
        const { year, month, day } = civilOf(number)
        expect(dayNumber(year, month, day)).toBe(number)
      }),
    )
    expect(writeDay(dayOf(951_782_400_000))).toBe('29 February 2000')
    expect(weekdayOf(day('2026-06-12'))).toBe(5)
  })

  it('refuse a text that is no ISO day', () => {
    expect(parseIsoDay('12 June')).toBeUndefined()
    expect(parseIsoDay('2026-13-01')).toBeUndefined()
  })
})

describe('renderDates', () => {
  it('writes the year once when all dates share it', () => {
    const tokens = [
      `On ${dateToken(day('2026-06-12'))}`,
      `between ${rangeToken(day('2026-06-03'), day('2026-06-21'), 'and')}`,
    ]
    expect(renderDates(tokens)).toEqual(['On 12 June 2026', 'between 3 and 21 June'])
  })

  it('writes every year when they differ', () => {
    expect(renderDates([dateToken(day('2025-12-31')), dateToken(day('2026-01-01'))])).toEqual([
      '31 December 2025',
      '1 January 2026',
    ])
    expect(renderDates([rangeToken(day('2025-12-31'), day('2026-01-01'), 'to')])).toEqual([
      '31 December 2025 to 1 January 2026',
    ])
  })
})

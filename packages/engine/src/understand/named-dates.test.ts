import { expect, test } from 'vitest'
import { dateWindows, findDates, WINDOW_CHARS_MAX } from './named-dates.ts'

/** A Friday. */
const TODAY = Date.UTC(2026, 6, 31) / 86_400_000

const saidIn = (text: string) => findDates(text, TODAY).map(({ index, length }) => text.slice(index, index + length))

test('dates are found at their places, whatever white space parts their words', () => {
  expect(saidIn('on  16 \t June  and on\n\n 17\u00a0\u00a0June')).toEqual(['16 \t June', '17\u00a0\u00a0June'])
})

test('a long text is read around its dates, at its beginning and at its end', () => {
  const filler = 'Nobody was about when it rained on the yard. '.repeat(20)
  const text = ['On 3 June it began.', 'Then 4 June.', 'Then 5 June.', 'Then 6 June.', 'On 7 June.'].join(` ${filler}`)
  expect(saidIn(text)).toEqual(['3 June', '4 June', '6 June', '7 June'])
})

test.each(['5 days ', '0M \t', '1', 'june', '\n', 'last week, ', ' '.repeat(500), '10:30\u00a0\u00a0'])(
  'of %j without end a reader of dates is given few short parts',
  (piece) => {
    const parts = dateWindows(piece.repeat(Math.ceil(5_000 / piece.length)))
    expect(parts.length).toBeLessThanOrEqual(4)
    for (const { text } of parts) expect(text.length).toBeLessThanOrEqual(WINDOW_CHARS_MAX)
    for (const { text } of parts) expect(text).not.toMatch(/\s\s/)
  },
)

test.each([
  ['the day before 16 June', ['the day before 16 June']],
  ['a day after tomorrow', ['a day after tomorrow']],
  ['two weeks before 16 June', []],
  ['3 days since yesterday', []],
  ['the week after yesterday', []],
  ['in 5 days, 2 hours ago', []],
])('"%s" names %j', (text, dates) => {
  expect(saidIn(text)).toEqual(dates)
})

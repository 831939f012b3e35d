import { expect, test } from 'vitest'
import { findTimes } from './find-times.ts'

/** A Friday. */
const TODAY = '2026-07-31'

function daysOf(query: string): string | undefined {
  const day = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : '')
  return findTimes(query, TODAY)
    ?.ranges.map(({ fromMs, toMs }) => `${day(fromMs)}..${day(toMs - 1)}`)
    .join(' ')
}

test.each([
  ['What happened today?', '2026-07-31..2026-07-31'],
  ['What happened yesterday?', '2026-07-30..2026-07-30'],
  ['Who is on call this week?', '2026-07-27..2026-08-02'],
  ["What was in last week's report?", '2026-07-20..2026-07-26'],
  ['What changed in the past week?', '2026-07-24..2026-07-31'],
  ['What changed this month?', '2026-07-01..2026-07-31'],
  ['What changed last month?', '2026-06-01..2026-06-30'],
  ['What changed this quarter?', '2026-07-01..2026-09-30'],
  ['What changed last quarter?', '2026-04-01..2026-06-30'],
  ['Give me a recap of June.', '2026-06-01..2026-06-30'],
  ['What changed last year?', '2025-01-01..2025-12-31'],
  ['What broke in the last 10 days?', '2026-07-21..2026-07-31'],
  ['What broke over the past two weeks?', '2026-07-17..2026-07-31'],
  ['What broke in the last 3 months?', '2026-05-01..2026-07-31'],
  ['What broke 3 days ago?', '2026-07-28..2026-07-28'],
  ['What broke last Wednesday?', '2026-07-29..2026-07-29'],
  ['What did Ada open in June?', '2026-06-01..2026-06-30'],
  ['What did Ada open in Dec.?', '2025-12-01..2025-12-31'],
  ['What did Ada open in July?', '2026-07-01..2026-07-31'],
  ['What did Ada open in August?', '2025-08-01..2025-08-31'],
  ['What did Ada open during May 2024?', '2024-05-01..2024-05-31'],
  ['Who won in 1998?', '1998-01-01..1998-12-31'],
  ['What shipped in Q2?', '2026-04-01..2026-06-30'],
  ['What shipped in Q4?', '2025-10-01..2025-12-31'],
  ['What shipped in Q1 2025?', '2025-01-01..2025-03-31'],
  ['What failed on 16 June?', '2026-06-16..2026-06-16'],
  ['What failed on the 16th of June?', '2026-06-16..2026-06-16'],
  ['What failed on June 16, 2025?', '2025-06-16..2025-06-16'],
  ['What failed on 2026-06-16?', '2026-06-16..2026-06-16'],
  ['What is new since June 16?', '2026-06-16..'],
  ['What is new since May?', '2026-05-01..'],
  ['What is new after 16 June?', '2026-06-17..'],
  ['What was known before 2026-06-16?', '..2026-06-15'],
  ['What was known before last week?', '..2026-07-19'],
  ['What moved between 3 June and 10 June?', '2026-06-03..2026-06-10'],
  ['What moved from May to June?', '2026-05-01..2026-06-30'],
  ['What moved between 3 June and 10 June 2025?', '2025-06-03..2025-06-10'],
  ['What moved between March and the 5th of June?', '2026-03-01..2026-06-05'],
  ['What moved between 3 and 10 June?', '2026-06-03..2026-06-10'],
  ['What moved from the 3rd to 10 June 2025?', '2025-06-03..2025-06-10'],
  ['What moved between 3 and 10 people?', undefined],
  ['What moved in the last week of June?', '2026-06-24..2026-06-30'],
  ['What moved in the first week of June 2025?', '2025-06-01..2025-06-07'],
  ['What moved in the week of 8 July?', '2026-07-06..2026-07-12'],
  ['What broke the day before yesterday?', '2026-07-29..2026-07-29'],
  ['What broke a week ago?', '2026-07-20..2026-07-26'],
  ['What failed on 6/16/2026?', '2026-06-16..2026-06-16'],
  ['What failed on Tuesday?', '2026-07-28..2026-07-28'],
  ['What shipped in May and June?', '2026-05-01..2026-05-31 2026-06-01..2026-06-30'],
  ['What shipped in May and June 2024?', '2024-05-01..2024-05-31 2024-06-01..2024-06-30'],
  ['Did more break in June than in July?', '2026-06-01..2026-06-30 2026-07-01..2026-07-31'],
  [
    'What changed last week, yesterday and on 3 July?',
    '2026-07-20..2026-07-26 2026-07-30..2026-07-30 2026-07-03..2026-07-03',
  ],
  ['What moved between 3 June and 10 June, or after 1 July?', '2026-06-03..2026-06-10 2026-07-02..'],
])('%s asks about %s', (query, days) => {
  expect(daysOf(query)).toBe(days)
})

test.each([
  'Who owns the ledger?',
  'What may change?',
  'Who is June?',
  'Which mar is in margin?',
  'What is open and due in the first week of June?',
  'What is due in June?',
  'What does the June report say?',
  'Who sat in the sun at 10:30?',
  'Is it here now?',
  'Which release is 2026-ready?',
  'How long do 3 days take?',
])('%s asks about no time', (query) => {
  expect(findTimes(query, TODAY)).toBeUndefined()
})

test('takes the words that only express the time out of the question', () => {
  expect(findTimes('What did Ada ship in June for Harbour?', TODAY)?.rest).toBe('What did Ada ship ,  for Harbour?')
})

test('recognizes a time that only one of several parts asks about', () => {
  const isPartial = (query: string) => findTimes(query, TODAY)?.isPartial
  expect(isPartial('What failed at the depot last week?')).toBe(false)
  expect(isPartial('What failed last week, and why?')).toBe(false)
  expect(isPartial('What failed last week, who owns the rest, and what is open?')).toBe(true)
})

test('reads no time without a day to count from', () => {
  expect(findTimes('What failed today?', 'soon')).toBeUndefined()
})

test('a question with any characters is parsed, including the internal date placeholders', () => {
  expect(daysOf('What came in since \ue000?')).toBeUndefined()
  expect(daysOf('What did \ue400\ue001 do since 3 July?')).toBe('2026-07-03..')
})

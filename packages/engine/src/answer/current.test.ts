import { expect, test } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { emptyTimeAmong } from '../understand/empty-time.ts'
import { findTimes } from '../understand/find-times.ts'
import { analyseParts } from '../understand/parts.ts'
import { answerQuestion } from './answer.ts'

const note = (id: string, day: number, text: string) => story(id, day, { type: 'note', text, score: 1 })
const records = [
  note('rec_1', 1, 'The ferry leaves at 8.'),
  note('rec_2', 2, 'From 1 June the ferry leaves at 9.'),
  note('rec_3', 1, 'The workshop is in Aarhus.'),
  note('rec_4', 6, 'We moved the workshop from Aarhus to Odense.'),
  note('rec_5', 1, 'Until 31 May the sauna is free.'),
  note('rec_6', 1, 'From 1 June the sauna costs 3 euros.'),
  note('rec_7', 1, 'Nils Holt was chair between 2021 and 2023.'),
  note('rec_8', 1, 'The archive opens at 10 on Thursdays.'),
  note('rec_9', 1, 'The parade starts at the town hall.'),
  note('rec_10', 1, 'Until the end of August the mooring is free for members.'),
  note('rec_11', 3, 'From 1 September the mooring costs members 2 euros.'),
]

function ask(query: string, on: string, among = records) {
  const named = findTimes(query, on)
  const asked = analyseParts(query, terms, { ...(named && { times: named.ranges, timeless: named.rest }) })
  const emptyTime = emptyTimeAmong(among, { named, referenceDate: on })
  return answerQuestion({ ...asking(query, among, { terms, asked, corpus: undefined }), referenceDate: on, emptyTime })
}

test.each([
  ['When does the ferry leave?', '2026-05-20', 'at 8'],
  ['When does the ferry leave?', '2026-06-20', 'at 9'],
  ['What does the sauna cost?', '2026-05-20', 'is free'],
  ['What does the sauna cost?', '2026-06-20', '3 euros'],
  ['What does the mooring cost members?', '2026-07-10', 'is free'],
  ['What does the mooring cost members?', '2026-09-10', '2 euros'],
])('a statement that holds on the day leads: %s %s', (query, on, expected) => {
  expect(ask(query, on).statements[0]!.text).toContain(expected)
})

test('a later statement about a change comes first', () => {
  expect(ask('Where is the workshop?', '2026-06-20').statements[0]!.text).toContain('Odense')
})

test('a statement whose period includes the asked time answers although it was written later', () => {
  const { outcome, statements } = ask('Who was chair in 2022?', '2026-06-20')
  expect([outcome, statements[0]!.text]).toEqual(['answered', expect.stringContaining('Nils Holt')])
})

test('for a time without records, earlier ones answer about a state and are the closest to an event', () => {
  const workshop = records.filter(({ id }) => id === 'rec_3')
  const askOf = (query: string) => ask(query, '2026-08-01', workshop)
  expect(askOf('Where was the workshop on 11 July?').outcome).toBe('answered')
  expect(askOf('Who opened the workshop on 11 July?').outcome).not.toBe('answered')
})

test.each(['When does the archive open on Fridays?', 'When does the parade start?'])(
  'another weekday, or no time at all, is only the closest: %s',
  (query) => {
    expect(ask(query, '2026-06-20').outcome).toBe('closest')
  },
)

test('a relation that answers two parts of a question is shown once', () => {
  const relations = [
    { subject: 'Atlas', predicate: 'owner', object: 'Ana Silva', validFromMs: records[0]!.occurredAtMs! },
    { subject: 'Atlas', predicate: 'owner', object: 'Jon Berg', validFromMs: records[3]!.occurredAtMs! },
  ]
  const among = [{ ...note('rec_1', 7, ''), relations }]
  const shown = ask('Who is the owner of Atlas now, and who was the owner of Atlas before?', '2026-06-20', among)
  expect(shown.statements.map(({ text }) => text)).toEqual([expect.stringContaining('Jon Berg')])
})

import { beforeAll, describe, expect, it, test } from 'vitest'
import type { ReadRecord } from '../../resolve/record-content.ts'
import { computePlan } from '../compute-plan.ts'
import { buildViews } from '../observe-views.ts'
import { phraseAnswer } from '../phrase-answer.ts'
import type { View } from '../plan.ts'
import { planInConversation } from './plan-in-conversation.ts'

type Value = string | number | boolean | null

/** Returns the records of a sheet as an import creates them. */
function sheet(type: string, [header, ...rows]: [string[], ...Value[][]]): ReadRecord[] {
  return rows.map((cells, at) => {
    const properties = Object.fromEntries(header.map((name, column) => [name, cells[column] ?? null]))
    const title = String(cells[0])
    return { id: `rec_${at}`, content: { external_id: `${type}#${at}`, type, title, properties }, things: [] } as never
  })
}

const TOOLS = sheet('tool', [
  ['Tool', 'Drawer', 'In stock', 'Maker', 'Ready'],
  ['Rasp', 'D1', 4, 'Okta', '2026-03-01'],
  ['Plane', 'D2', 0, 'Brund', '2026-05-20'],
  ['Chisel', 'D1', 7, 'Brund', '2026-07-02'],
  ['Level', 'D3', 0, 'Okta', null],
])
const BILLS = sheet('charge', [
  ['Charge', 'Client', 'Due', 'Sum', 'Paid'],
  ['B-1', 'Nord Lines', '2026-02-10', 1200.5, '2026-02-08'],
  ['B-2', 'Sund AB', '2026-03-02', 340, null],
  ['B-3', 'Nord Lines', '2026-04-11', 1760, null],
])

const CREW = sheet('crew', [
  ['Name', 'Dept', 'Cabin', 'Boards', 'Days', 'Fare (EUR)', 'Vaccinated', 'Status'],
  ['Ola Brekke', 'Deck', 12, '2026-05-02', 9, 310, 'yes', 'open'],
  ['Rui Pinto', 'Galley', 4, '2026-05-09', 14, 95, 'no', 'closed'],
  ['Ola Brekke', 'Deck', 12, '2026-07-01', 3, 120, 'yes', 'open'],
  ['Tam Le', 'Galley', 12, '2026-07-03', 6, 280, 'no', 'closed'],
])

const SHIFTS = sheet('shift', [
  ['Day', 'Helper', 'Place', 'Hours'],
  ['2026-05-02', 'Ada', 'North Pier', 8],
  ['2026-05-03', 'Ada', 'Boathouse', 4.5],
  ['2026-05-03', 'Bo', 'North Pier', 6],
  ['2026-06-01', 'Ada', 'North Pier', 3],
])

const LOANS = sheet('loans_q2', [
  ['Loan', 'Reader', 'Branch', 'Pages', 'Day', 'Return', 'Charge (EUR)', 'Renewed'],
  ['L-1', 'Ines Lund', 'Hafen', 320, '2026-04-02', '2026-07-06', 3.5, 'yes'],
  ['L-2', 'Karl Voss', 'Hafen', 180, '2026-04-20', '2026-05-11', 12, 'no'],
  ['L-3', 'Ines Lund', 'Markt', 95, '2026-05-08', '2026-07-20', 6, 'no'],
])
const BIRDS = sheet('ringings_east', [
  ['Ring', 'Species', 'Ringer', 'Weight'],
  ['R-1', 'robin', 'Mia Holt', 17],
  ['R-2', 'wren', 'Mia Holt', 9],
  ['R-3', 'robin', 'Tom Reed', 19],
])

let views: View[]
beforeAll(async () => {
  const all = [...TOOLS, ...BILLS, ...CREW, ...SHIFTS, ...LOANS, ...BIRDS]
  views = await buildViews(all, new Map(), async () => undefined)
})

function answer(query: string): string {
  const plans = planInConversation(views, query, [], '2026-06-14')
  if (plans.length === 0) return 'not computed'
  const answers = plans.map((plan) => {
    const view = views.find(({ type }) => type === plan.type)!
    return phraseAnswer(plan, view, computePlan(plan, view))
  })
  return [...new Set(answers)].join(' OR ')
}

describe('rows of sheets', () => {
  test.each([
    ['How many tools does Brund make?', 'There are 2 tools with maker Brund.'],
    ['How many tools are made by Okta?', 'There are 2 tools with maker Okta.'],
    ['How many tools have none in stock?', 'There are 2 tools with in stock = 0.'],
    ['How many are in stock in total?', 'The total in stock of 4 tools is 11.'],
    ['What is the total in stock?', 'The total in stock of 4 tools is 11.'],
    ['How many charges has Nord Lines?', 'There are 2 charges with client Nord Lines.'],
    ['How many charges are unpaid?', 'There are 2 charges with paid empty.'],
    ['How many charges are not paid?', 'There are 2 charges with paid empty.'],
    ['How many paid charges are there?', 'There is 1 charge with paid filled.'],
    ['How many charges have the client Nord Lines?', 'There are 2 charges with client Nord Lines.'],
    ['How many unpaid charges has Nord Lines?', 'There is 1 charge with client Nord Lines and paid empty.'],
    ['How many charges are over 1,000?', 'There are 2 charges with sum > 1000.'],
    ['What does Nord Lines owe in total?', 'The total sum of 1 charge with client Nord Lines and paid empty is 1760.'],
    ['What is the drawer of the Rasp?', 'The drawer of Rasp is D1.'],
    ['How many tools were ready on 20 May 2026?', 'There is 1 tool with ready on 20 May 2026.'],
  ])('%s', (query, expected) => {
    expect(answer(query)).toBe(expected)
  })

  test.each([
    ['What is the average fare in Galley?', 'The average fare eur of 2 crews with dept Galley is 187.5.'],
    ['What is the total fare of the department Galley?', 'The total fare eur of 2 crews with dept Galley is 375.'],
    ['How many people work in Deck?', 'There are 2 crews with dept Deck.'],
    ['How many people have a fare over 200 euros?', 'There are 2 crews with fare eur > 200.'],
    ['How many people cost less than 100 euros?', 'There is 1 crew with fare eur < 100.'],
    ['How many people are vaccinated?', 'There are 2 crews with vaccinated yes.'],
    ['How many people are in cabin 12?', 'There are 3 crews with cabin = 12.'],
    ['How many days does Ola Brekke stay in total?', 'The total days of 2 crews with name Ola Brekke is 12.'],
    ['How many days does Tam Le stay?', 'The days of Tam Le is 6.'],
    ['How many people are open?', 'There are 2 crews with status open.'],
    ['Who boards on 9 May?', 'There is 1 crew with boards on 9 May 2026: “Rui Pinto” (crew#1).'],
    ['How many tools are there in May 2026?', 'There is 1 tool with ready from 1 May 2026 to 31 May 2026.'],
    ['Who is the cheapest person?', 'not computed'],
    ['What is the cheapest crew?', 'The least fare eur of crews is 95: “Rui Pinto” (crew#1).'],
    ['What is the highest fare?', 'The greatest fare eur of crews is 310: “Ola Brekke” (crew#0).'],
    ['Who merged in June?', 'not computed'],
    ['How many dots are there?', 'not computed'],
    ['How many hours did Ada work?', 'The total hours of 3 shifts with helper Ada is 15.5.'],
    [
      'How many hours did Ada work at North Pier?',
      'The total hours of 2 shifts with helper Ada and place North Pier is 11.',
    ],
    [
      'How many hours did Bo work in June?',
      'No shift with day from 1 June 2026 to 30 June 2026 and helper Bo has a value in hours.',
    ],
    [
      'How many hours did Ada work in May in total?',
      'The total hours of 2 shifts with day from 1 May 2026 to 31 May 2026 and helper Ada is 12.5.',
    ],
    [
      'How many hours did Ada row at North Pier?',
      'The total hours of 2 shifts with helper Ada and place North Pier is 11.',
    ],
    ['How many hours did Ada row at South Pier?', 'not computed'],
    ['How many tents did Ada pitch at North Pier?', 'not computed'],
  ])('have columns in any case, in short forms and with units: %s', (query, expected) => {
    expect(answer(query)).toBe(expected)
  })

  test.each([
    [
      'At the Boathouse, how many hours did Bo and Ada do?',
      'The total hours of 1 shift with helper Ada or Bo and place Boathouse is 4.5.',
    ],
    ['How many days did the crew spend in the Galley?', 'The total days of 2 crews with dept Galley is 20.'],
    ['average fare for deck?', 'The average fare eur of 2 crews with dept Deck is 215.'],
    [
      'Loans of ten pages or more in Hafen',
      'There are 2 loans with branch Hafen and pages >= 10: “L-1” (loans_q2#0) and “L-2” (loans_q2#1).',
    ],
    [
      "Which loans haven't been renewed?",
      'There are 2 loans with renewed no: “L-2” (loans_q2#1) and “L-3” (loans_q2#2).',
    ],
    ['How much money did Ines Lund pay?', 'The total charge eur of 2 loans with reader Ines Lund is 9.5.'],
    ['How many loans did Ines Lund lose?', 'not computed'],
    ['How many hours did Ada not work at North Pier?', 'not computed'],
    ['How many hours did Ada never row?', 'not computed'],
    ['Who has the heaviest robin?', 'not computed'],
    [
      'Which is the heaviest robin?',
      'The greatest weight of ringings with species robin is 19: “R-3” (ringings_east#2).',
    ],
    ['How many robins died?', 'not computed'],
    ['Which crew paid over 100 dollars?', 'not computed'],
    ['How many robins are over 10 kilos?', 'not computed'],
    ['How many crew paid over 100 euros?', 'There are 3 crews with fare eur > 100.'],
  ])('are found by parts in any order: %s', (query, expected) => {
    expect(answer(query)).toBe(expected)
  })

  test.each([
    ['How many loans have not been renewed?', 'There are 2 loans with renewed no.'],
    ['How many loans have not been renewed yet?', 'There are 2 loans with renewed no.'],
    [
      'Which loans are returned in May?',
      'There is 1 loan with return from 1 May 2026 to 31 May 2026: “L-2” (loans_q2#1).',
    ],
    ['How many loans will be returned in July?', 'There are 2 loans with return from 1 July 2026 to 31 July 2026.'],
    ['How many loans were there in May?', 'There is 1 loan with day from 1 May 2026 to 31 May 2026.'],
    ['What do all loans of Ines Lund come to?', 'The total charge eur of 2 loans with reader Ines Lund is 9.5.'],
    ['How much do the loans in Hafen add up to?', 'The total charge eur of 2 loans with branch Hafen is 15.5.'],
    ['How many loans over 5 euros are there?', 'There are 2 loans with charge eur > 5.'],
    ['How many robins are there?', 'There are 2 ringings with species robin.'],
    ['How many robins did Mia Holt ring?', 'There is 1 ringing with species robin and ringer Mia Holt.'],
    ['Who ringed R-2?', 'The ringer of R-2 is Mia Holt.'],
    ['How many eagles are there?', 'not computed'],
    ['How many robins live in Hafen?', 'not computed'],
  ])('are meant by the plural of their file, by a value, and by what is done to them: %s', (query, expected) => {
    expect(answer(query)).toBe(expected)
  })

  it('are listed as a table, with dates as people write them', () => {
    expect(answer('Which charges are due before 5 March 2026?')).toBe(
      [
        'There are 2 charges with due until 4 March 2026:',
        '',
        '| Charge | Client | Due | Sum | Paid |',
        '| --- | --- | --- | --- | --- |',
        '| B-1 | Nord Lines | 10 February 2026 | 1200.5 | 8 February 2026 |',
        '| B-2 | Sund AB | 2 March 2026 | 340 |  |',
      ].join('\n'),
    )
  })

  test.each([
    'What does Nord Lines sell in total?',
    'How many tools does Sund AB make?',
    'How many charges are over 1,000 pages?',
    'What is the drawer of the Hammer?',
    'Which charges are nice?',
  ])('are not computed if a word is not understood: %s', (query) => {
    expect(answer(query)).toBe('not computed')
  })
})

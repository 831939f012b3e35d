import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { readAsked } from '../understand/parts.ts'
import { composeBrief } from './compose-brief.ts'
import { unfaithfulWords } from './faithful.ts'

const table = (rows: readonly string[]) => rows.map((row) => `| ${row} |`).join('\n')
const text = [
  '# Spending in 2025',
  table([
    'Month | Boats | Coaching | Total | Paid by',
    '--- | --- | --- | --- | ---',
    'March | £1,450.50 | £720 | £2,170.50 | Sunil',
    'April | £240 | £720 | £960 | Sunil',
    'May | £60.25 | £800 | £860.25 | Joan',
  ]),
  '## Donations in 2025',
  table(['From | Amount', '--- | ---', 'Boyle | £500', 'Brewery | £750', 'Total | £1,250', 'Grant | –']),
  '## Oars',
  table(['Kind | Oars', '--- | ---', 'Old | 4', 'New | 5', 'All | 9']),
  '## Blades in 2025',
  table(['Set | Blades', '--- | ---', 'Croker | 8', 'Macon | 10', 'Smoothie | 8']),
].join('\n\n')
const records = [
  story('rec_spent', undefined, { type: 'document', title: 'Spending in 2025', text }),
  story('rec_other', undefined, { type: 'document', title: 'Rain', text: 'It rained in March. Sunil has a coat.' }),
]
const ask = (query: string) =>
  composeBrief(
    asking(query, records, {
      terms,
      asked: readAsked(query, terms, {}),
      corpus: { records: 100, degreeOf: (term) => (terms(text).includes(term) ? 1 : 0) },
    }),
  )

describe('a sum or an extreme is worked out over a column that is surely read', () => {
  it.each([
    ['What was the total spending on coaching in 2025?', 'Coaching in total: £2,240 (Spending in 2025).'],
    ['What was the spending on boats in total?', 'Boats in total: £1,750.75 (Spending in 2025).'],
    ['Which month had the highest spending?', 'March: Total £2,170.50 (Spending in 2025).'],
    ['In which month was the spending on boats lowest?', 'May: Boats £60.25 (Spending in 2025).'],
    ['Which set has the fewest blades?', 'Croker, Smoothie: Blades 8 (Blades in 2025, Spending in 2025).'],
    ['How many blades are there altogether?', 'Blades in total: 26 (Blades in 2025, Spending in 2025).'],
  ])('%s', (query, told) => {
    const brief = ask(query)
    expect(brief.brief).toBe(told)
    expect(brief.statements.map(({ recordIds }) => recordIds)).toEqual([['rec_spent']])
    expect(unfaithfulWords(brief, records)).toEqual([])
  })

  it.each([
    'What were the donations in total?',
    'What was the total of coaching in March?',
    'Which month had the highest electricity bill?',
    'Who paid most?',
    'How many oars are there in total?',
    'Which kind has the most oars?',
  ])('and else nothing is: %s', (query) => {
    expect(
      ask(query).statements.flatMap(({ recordIds, computed }) => (recordIds.length > 0 && computed) || []),
    ).toEqual([])
  })
})

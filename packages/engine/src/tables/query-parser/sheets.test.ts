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

let views: View[]
beforeAll(async () => {
  views = await buildViews([...TOOLS, ...BILLS], new Map(), async () => undefined)
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

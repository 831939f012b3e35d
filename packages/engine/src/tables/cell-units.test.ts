import { expect, test } from 'vitest'
import type { ReadRecord } from '../resolve/record-content.ts'
import { buildViews } from './observe-views.ts'
import { phraseAnswer } from './phrase-answer.ts'

const rowOf = (id: string, amount: number, unit: string) => {
  const properties = { Amount: amount, cell_units: { Amount: unit } }
  return { id, content: { external_id: id, type: 'fee', properties }, things: [] } as unknown as ReadRecord
}

async function viewOf(...records: ReadRecord[]) {
  const [view] = await buildViews(records, new Map(), () => undefined)
  return view!
}

test('a column of numbers has their unit, and a sum is shown in it', async () => {
  const view = await viewOf(rowOf('a', 12.5, '€'), rowOf('b', 30, '€'))
  const column = view.columns.findIndex(({ name }) => name === 'Amount')
  expect(view.columns[column]).toMatchObject({ kind: 'number', unit: '€', cells: [12.5, 30] })
  expect(view.columns.map(({ name }) => name)).not.toContain('cell_units')
  const plan = { type: 'fee', asks: 'sum', where: [], column } as const
  expect(phraseAnswer(plan as never, view, [[42.5, 2]])).toContain('is €42.5.')
})

test('numbers of several units are texts, which nothing adds', async () => {
  const view = await viewOf(rowOf('a', 12, '€'), rowOf('b', 30, '$'))
  expect(view.columns.find(({ name }) => name === 'Amount')).toMatchObject({ kind: 'text', cells: ['€12', '$30'] })
})

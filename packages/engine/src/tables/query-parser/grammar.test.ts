import { expect, test } from 'vitest'
import type { Cell, Column, ColumnKind, View } from '../plan.ts'
import { planInConversation } from './plan-in-conversation.ts'

const column = (name: string, kind: ColumnKind, cells: Cell[] = []): Column => {
  return { name, words: [name], kind, isPerson: false, labels: new Map(), spellings: new Map(), cells }
}
const viewOf = (...columns: Column[]): View => {
  const people = { labels: new Map(), spellings: new Map() }
  return { type: 'expense', nouns: [['expense'], ['expenses']], columns, rows: [], people }
}
const asked = (query: string, view: View) => planInConversation([view], query, [], '2026-06-14')

const paid = viewOf(column('who', 'text'), column('amount', 'number'), column('receipt_id', 'number'))

test.each([
  ['What was the largest expense?', { asks: 'extreme', column: 1, isLeast: false }],
  ['Which expense was the smallest?', { asks: 'extreme', column: 1, isLeast: true }],
  ['What is the total of the expenses?', { asks: 'sum', column: 1 }],
  ['What is the total of all expenses?', { asks: 'sum', column: 1 }],
])('the only column of amounts need not be named: %s', (query, plan) => {
  expect(asked(query, paid)).toEqual([{ type: 'expense', where: [], ...plan }])
  expect(asked(query, viewOf(...paid.columns, column('hours', 'number')))).toEqual([])
  expect(asked(query, viewOf(column('who', 'text'), column('receipt_id', 'number')))).toEqual([])
})

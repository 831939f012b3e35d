import type { Cell, View } from '@cairnstore/engine/tables'
import { expect, test } from 'vitest'
import { createCalculator } from '../duckdb/calculator.ts'
import { describeTables, showViews } from './select-prompt.ts'

let looks = 0
const viewOf = (type: string, cells: readonly Cell[]): View => {
  const ids = { labels: new Map([['ent_1', 'Ana Lima']]), spellings: new Map() }
  const author = { name: 'author', words: [], kind: 'text' as const, isPerson: true, ...ids }
  const row = { recordId: 'rec_1', externalId: '1', title: 'One', citedId: 'rec_1', occurredAt: null }
  return {
    type,
    nouns: [],
    rows: { length: cells.length, at: (at) => (at < cells.length ? row : undefined) } as View['rows'],
    people: ids,
    columns: [
      {
        ...author,
        get cells() {
          looks += 1
          return cells
        },
      },
    ],
  }
}

test('the table description is computed once for concurrent questions', async () => {
  looks = 0
  const views = [viewOf('issue', ['ent_1', 'ent_1', 'Ben', null]), viewOf('message', ['Cy'])]
  const [first, again] = await Promise.all([describeTables(views), describeTables(views)])
  expect(again).toBe(first)
  expect(first).toContain(`"author" VARCHAR, such as 'Ana Lima', 'Ben'`)
  expect(looks).toBe(2)
})

test('a column shows its most frequent values, ties in alphabetical order', async () => {
  const cells = Array.from({ length: 400 }, (_, at) => `v${String(399 - at).padStart(3, '0')}`)
  const shown = await describeTables([viewOf('issue', [...cells, 'v200', 'v399', 'v399'])])
  expect(/such as '(?!One)([^\n]*)'/.exec(shown.slice(shown.indexOf('"author"')))?.[1]?.split("', '")).toEqual([
    ...['v399', 'v200'],
    ...Array.from({ length: 10 }, (_, at) => `v00${at}`),
  ])
})

test('a rejected query reads no cells', async () => {
  looks = 0
  const views = showViews([viewOf('issue', ['Ana'])])
  expect(await createCalculator().select(views, 'SELECT getenv(author) FROM issue')).toHaveProperty('refused')
  expect(looks).toBe(0)
  expect(await createCalculator().select(views, 'SELECT author FROM issue')).toMatchObject({ rows: [['Ana']] })
})

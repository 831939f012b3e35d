import { describe, expect, it } from 'vitest'
import { computePlan } from './compute-plan.ts'
import type { Cell, Column, ColumnKind, Condition, Plan, View } from './plan.ts'

const column = (name: string, kind: ColumnKind, cells: Cell[]): Column => {
  return { name, words: [name], kind, isPerson: false, labels: new Map(), spellings: new Map(), cells }
}
const day = (text: string) => Date.parse(text)

const [STATE, MADE, TAGS, POINTS, URGENT] = [0, 1, 2, 3, 4]
const columns = [
  column('state', 'text', ['open', 'done', 'open', null, 'new']),
  column('occurred_at', 'time', [day('2026-01-05'), day('2026-02-01'), null, day('2026-02-01'), day('2025-12-31')]),
  column('tags', 'list', [['bug', 'ui'], ['ui'], [], null, ['bug', 'ui']]),
  column('points', 'number', [3, 8, null, 8, -1]),
  column('urgent', 'flag', [true, false, null, true, true]),
]
const row = { recordId: '', citedId: '', externalId: '', title: '', occurredAt: null }
const people = { labels: new Map(), spellings: new Map() }
const view: View = { type: 'issue', nouns: [], columns, rows: Array.from({ length: 5 }, () => row), people }

type Asked = Plan extends infer Each ? (Each extends Plan ? Omit<Each, 'type' | 'where'> : never) : never
const compute = (asked: Asked, ...where: Condition[]) => computePlan({ ...asked, type: 'issue', where } as Plan, view)
const rows = (...where: Condition[]) => compute({ asks: 'rows' }, ...where).map(([at]) => at)

describe('a plan', () => {
  it('counts the rows for which every condition holds, and none where a cell is missing', () => {
    const open: Condition = { column: STATE, is: 'in', values: ['open', 'new'] }
    expect(compute({ asks: 'count' })).toEqual([[5]])
    expect(compute({ asks: 'count' }, open)).toEqual([[3]])
    expect(compute({ asks: 'count' }, open, { column: POINTS, is: '>', value: 0 })).toEqual([[1]])
    expect(compute({ asks: 'count' }, { column: STATE, is: 'in', values: [] })).toEqual([[0]])
  })

  it('lists rows with the latest first, equal ones in their order and those of no time last', () => {
    expect(compute({ asks: 'rows' })).toEqual([1, 3, 0, 4, 2].map((at) => [at, 5]))
    expect(rows({ column: TAGS, is: 'in', values: ['bug'] })).toEqual([0, 4])
    expect(rows({ column: TAGS, is: 'filled' })).toEqual([1, 0, 4])
    expect(rows({ column: TAGS, is: 'empty' })).toEqual([3, 2])
    expect(rows({ column: STATE, is: 'empty' })).toEqual([3])
    expect(rows({ column: URGENT, is: 'false' })).toEqual([1])
    expect(rows({ column: URGENT, is: 'true' })).toEqual([3, 0, 4])
    expect(rows({ column: MADE, is: 'within', from: day('2026-01-05'), to: day('2026-02-01') })).toEqual([0])
    expect(rows({ column: MADE, is: 'within', from: null, to: null })).toEqual([1, 3, 0, 4])
    expect(rows({ column: POINTS, is: '<=', value: 3 })).toEqual([0, 4])
    expect(rows({ column: POINTS, is: '=', value: 8 })).toEqual([1, 3])
  })

  it('groups by what is there, the largest first and equal ones by name, a row in each of its texts', () => {
    expect(compute({ asks: 'groups', group: { column: STATE } })).toEqual([
      ['open', 2, 3],
      ['done', 1, 3],
      ['new', 1, 3],
    ])
    expect(compute({ asks: 'groups', group: { column: TAGS } }, { column: STATE, is: 'filled' })).toEqual([
      ['ui', 3, 2],
      ['bug', 2, 2],
    ])
    expect(compute({ asks: 'groups', group: { column: MADE, span: 'month' } }).map(([name]) => name)).toEqual([
      '2026-02',
      '2025-12',
      '2026-01',
    ])
    expect(compute({ asks: 'groups', group: { column: URGENT } })[0]).toEqual(['true', 3, 2])
  })

  it('finds the groups with most or least of what is asked for, those with none of it being the least', () => {
    const urgent: Condition = { column: URGENT, is: 'true' }
    expect(compute({ asks: 'best', group: { column: STATE }, isLeast: false }, urgent)).toEqual([
      ['new', 1, 2],
      ['open', 1, 2],
    ])
    expect(compute({ asks: 'best', group: { column: STATE }, isLeast: true }, urgent)).toEqual([['done', 0, 1]])
    expect(compute({ asks: 'best', group: { column: STATE }, sum: POINTS, isLeast: false })).toEqual([['done', 8, 1]])
    expect(compute({ asks: 'best', group: { column: STATE }, isLeast: false }, { ...urgent, is: 'empty' })).toEqual([
      ['open', 1, 1],
    ])
  })

  it('finds the rows of an extreme, and adds up what is there', () => {
    expect(compute({ asks: 'extreme', column: POINTS, isLeast: false })).toEqual([
      [1, 2],
      [3, 2],
    ])
    expect(compute({ asks: 'extreme', column: MADE, isLeast: true })).toEqual([[4, 1]])
    const nothing: Condition = { column: STATE, is: 'in', values: ['lost'] }
    expect(compute({ asks: 'extreme', column: POINTS, isLeast: true }, nothing)).toEqual([])
    expect(compute({ asks: 'sum', column: POINTS })).toEqual([[18, 4]])
    expect(compute({ asks: 'average', column: POINTS })).toEqual([[4.5, 4]])
    expect(compute({ asks: 'sum', column: POINTS }, nothing)).toEqual([[0, 0]])
    expect(compute({ asks: 'average', column: POINTS }, nothing)).toEqual([[null, 0]])
  })
})

import { TableGrid } from '../table-grid.ts'
import { linesOf, type Run, type Segment } from './page-lines.ts'
import type { Rule } from './page-rules.ts'
import { joinLines } from './page-text.ts'

/** Maximum distance in points between two rules that count as touching. */
const NEAR = 2.5
const CELLS_MIN = 2
const CELLS_MAX = 5_000

interface Grid {
  /** Column edges from left to right, and row edges from top to bottom. */
  readonly xs: readonly number[]
  readonly ys: readonly number[]
  readonly rules: readonly Rule[]
}

/**
 * Returns as segments the tables that are drawn with rules on a page, and returns the runs outside them. Cells without
 * a rule between them are merged.
 */
export function ruledTables(runs: readonly Run[], rules: readonly Rule[]): { tables: Segment[]; rest: readonly Run[] } {
  let rest = runs
  const tables: Segment[] = []
  for (const grid of gridsOf(rules)) {
    const [left = 0, right = 0] = [grid.xs[0], grid.xs.at(-1)]
    const [top = 0, bottom = 0] = [grid.ys[0], grid.ys.at(-1)]
    const isIn = ({ x, y, width, size }: Run) => {
      const middle = { x: x + width / 2, y: y + size / 3 }
      return middle.x > left - NEAR && middle.x < right + NEAR && middle.y < top + NEAR && middle.y > bottom - NEAR
    }
    const own = rest.filter(isIn)
    const text = own.length > 0 ? tableText(grid, own) : ''
    if (text === '') continue
    rest = rest.filter((run) => !isIn(run))
    const size = Math.min(...own.map((run) => run.size))
    tables.push({ text, x: left, right, y: Math.max(...own.map(({ y }) => y)), size, isTable: true, parts: [] })
  }
  return { tables, rest }
}

/** Groups connected rules. Returns the cell edges of each group that forms a table. */
function gridsOf(rules: readonly Rule[]): Grid[] {
  const groups: Rule[][] = []
  for (const rule of rules) {
    const met = groups.filter((group) => group.some((other) => meets(rule, other)))
    const others = groups.filter((group) => !met.includes(group))
    groups.splice(0, groups.length, ...others, [...met.flat(), rule])
    if (groups.length > GROUPS_MAX) return []
  }
  return groups.flatMap((group) => {
    const xs = edgesOf(group.filter(({ isVertical }) => isVertical)).toSorted((one, other) => one - other)
    const ys = edgesOf(group.filter(({ isVertical }) => !isVertical)).toSorted((one, other) => other - one)
    const [columns, rows] = [xs.length - 1, ys.length - 1]
    const isTable = columns >= 1 && rows >= CELLS_MIN && columns * rows > CELLS_MIN && columns * rows <= CELLS_MAX
    return isTable && columns >= CELLS_MIN ? [{ xs, ys, rules: group }] : []
  })
}

/** Maximum number of groups on one page. A page with more is a drawing. */
const GROUPS_MAX = 400

/** Returns true if two rules cross, touch or continue each other. */
function meets(one: Rule, other: Rule): boolean {
  const isWithin = (rule: Rule, at: number) => at >= rule.from - NEAR && at <= rule.to + NEAR
  if (one.isVertical !== other.isVertical) return isWithin(one, other.at) && isWithin(other, one.at)
  return Math.abs(one.at - other.at) <= NEAR && one.from <= other.to + NEAR && other.from <= one.to + NEAR
}

function edgesOf(rules: readonly Rule[]): number[] {
  const edges: number[] = []
  for (const { at } of rules.toSorted((one, other) => one.at - other.at))
    if (edges.length === 0 || at - edges.at(-1)! > NEAR) edges.push(at)
  return edges
}

/** Returns a grid as Markdown; empty if fewer than two cells have text, because it is then only a frame. */
function tableText({ xs, ys, rules }: Grid, runs: readonly Run[]): string {
  const [columns, rows] = [xs.length - 1, ys.length - 1]
  const hasRule = (isVertical: boolean, at: number, middle: number) =>
    rules.some(
      (rule) =>
        rule.isVertical === isVertical && Math.abs(rule.at - at) <= NEAR && rule.from < middle && rule.to > middle,
    )
  const middleOf = (edges: readonly number[], at: number) => (edges[at]! + edges[at + 1]!) / 2
  const grid = new TableGrid()
  const covered = new Set<string>()
  let filled = 0
  for (let row = 0; row < rows; row += 1) {
    grid.openRow()
    for (let column = 0; column < columns; column += 1) {
      if (covered.has(`${row}:${column}`)) continue
      let [across, down] = [1, 1]
      while (column + across < columns && !hasRule(true, xs[column + across]!, middleOf(ys, row))) across += 1
      while (row + down < rows && !hasRule(false, ys[row + down]!, middleOf(xs, column))) down += 1
      for (let below = row; below < row + down; below += 1)
        for (let at = column; at < column + across; at += 1) covered.add(`${below}:${at}`)
      const box = { left: xs[column]!, right: xs[column + across]!, high: ys[row]!, low: ys[row + down]! }
      const text = textIn(box, runs)
      if (text !== '') filled += 1
      grid.cell(text, across, down)
    }
  }
  return filled >= CELLS_MIN ? grid.markdown() : ''
}

function textIn(box: { left: number; right: number; high: number; low: number }, runs: readonly Run[]): string {
  const own = runs.filter(({ x, y, width, size }) => {
    const middle = { x: x + width / 2, y: y + size / 3 }
    return middle.x >= box.left && middle.x < box.right && middle.y <= box.high && middle.y > box.low
  })
  return joinLines(linesOf(own).map(({ segments }) => segments.map(({ text }) => text).join(' ')))
}

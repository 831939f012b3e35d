import { type Cell, type Condition, type Group, type Plan, ROWS_SHOWN_MAX, type View } from './plan.ts'

/**
 * Computes a plan over the rows of its view. The cells of each result are [count]; for rows and extremes [row index,
 * total], rows latest first; for groups [name, measure, number of groups]; for sums and averages [value, number of
 * values]. At most ROWS_SHOWN_MAX results are returned. The function is pure.
 */
export function computePlan(plan: Plan, view: View): Cell[][] {
  const found = rowsWhere(plan.where, view)
  switch (plan.asks) {
    case 'count':
      return [[found.length]]
    case 'rows':
      return latestFirst(found, view)
        .slice(0, ROWS_SHOWN_MAX)
        .map((row) => [row, found.length])
    case 'groups': {
      const groups = [...measured(plan.group, view, found)].sort(byMeasureThenName)
      return groups.slice(0, ROWS_SHOWN_MAX).map(([name, count]) => [name, count, groups.length])
    }
    case 'best': {
      // With "fewest", groups without a matching row count too.
      const all = plan.isLeast ? rowsWhere([], view) : found
      const groups = [...measured(plan.group, view, all, plan.sum, new Set(found))]
      const best = extremeOf(
        groups.map(([, measure]) => measure),
        plan.isLeast,
      )
      const tied = groups.filter(([, measure]) => measure === best).sort(byMeasureThenName)
      return tied.slice(0, ROWS_SHOWN_MAX).map(([name, measure]) => [name, measure, tied.length])
    }
    case 'extreme': {
      const { cells } = view.columns[plan.column]!
      const filled = found.filter((row) => cells[row] !== null)
      const best = extremeOf(
        filled.map((row) => Number(cells[row])),
        plan.isLeast,
      )
      const tied = filled.filter((row) => cells[row] === best)
      return tied.slice(0, ROWS_SHOWN_MAX).map((row) => [row, tied.length])
    }
    case 'value':
      return found.slice(0, ROWS_SHOWN_MAX).map((row) => [row, found.length])
    default: {
      const { cells } = view.columns[plan.column]!
      const values = found.flatMap((row) => (cells[row] === null ? [] : Number(cells[row])))
      const sum = values.reduce((total, value) => total + value, 0)
      if (plan.asks === 'sum') return [[sum, values.length]]
      return [[values.length === 0 ? null : sum / values.length, values.length]]
    }
  }
}

/** Returns the indexes of the rows that satisfy all conditions. */
function rowsWhere(where: readonly Condition[], { columns, rows }: View): number[] {
  const tests = where.map((condition) => ({ cells: columns[condition.column]!.cells, holds: testOf(condition) }))
  const found: number[] = []
  for (let row = 0; row < rows.length; row += 1) {
    if (tests.every(({ cells, holds }) => holds(cells[row]!))) found.push(row)
  }
  return found
}

function testOf(condition: Condition): (cell: Cell) => boolean {
  switch (condition.is) {
    case 'in': {
      const values = new Set<Cell>(condition.values)
      return (cell) => (isList(cell) ? cell.some((each) => values.has(each)) : values.has(cell))
    }
    case 'true':
      return (cell) => cell === true
    case 'false':
      return (cell) => cell === false
    case 'filled':
      return isFilled
    case 'empty':
      return (cell) => !isFilled(cell)
    case 'within': {
      const { from, to } = condition
      return (cell) => typeof cell === 'number' && (from === null || cell >= from) && (to === null || cell < to)
    }
    default: {
      const { is, value } = condition
      return (cell) => typeof cell === 'number' && COMPARE[is](cell, value)
    }
  }
}

const COMPARE: Record<'>' | '<' | '>=' | '<=' | '=', (one: number, other: number) => boolean> = {
  '>': (one, other) => one > other,
  '<': (one, other) => one < other,
  '>=': (one, other) => one >= other,
  '<=': (one, other) => one <= other,
  '=': (one, other) => one === other,
}

function isList(cell: Cell): cell is readonly string[] {
  return Array.isArray(cell)
}

function isFilled(cell: Cell): boolean {
  return isList(cell) ? cell.length > 0 : cell !== null
}

/** Sorts rows by time, latest first. Rows without a time come last. */
function latestFirst(found: readonly number[], { columns }: View): number[] {
  const times = columns.find(({ name }) => name === 'occurred_at')!.cells
  const timeOf = (row: number) => (times[row] as number | null) ?? Number.NEGATIVE_INFINITY
  return found.toSorted((one, other) => {
    const [a, b] = [timeOf(one), timeOf(other)]
    return a === b ? one - other : b - a
  })
}

/** Returns the groups of the rows by name, each with its number of counted rows or the sum of a column. */
function measured(
  group: Group,
  view: View,
  all: readonly number[],
  sum?: number,
  counted?: ReadonlySet<number>,
): Map<string, number> {
  const { cells } = view.columns[group.column]!
  const summed = sum === undefined ? undefined : view.columns[sum]!.cells
  const groups = new Map<string, number>()
  for (const row of all) {
    const measure = counted?.has(row) === false ? 0 : summed === undefined ? 1 : Number(summed[row] ?? 0)
    for (const name of namesOf(cells[row]!, group)) groups.set(name, (groups.get(name) ?? 0) + measure)
  }
  return groups
}

/** Number of leading characters of an ISO 8601 time that identify each span. */
const SPAN_CHARS = { day: 10, month: 7, year: 4 } as const

function namesOf(cell: Cell, { span }: Group): readonly string[] {
  if (cell === null) return []
  if (isList(cell)) return cell
  return [span ? new Date(cell as number).toISOString().slice(0, SPAN_CHARS[span]) : String(cell)]
}

function byMeasureThenName([one, few]: [string, number], [other, many]: [string, number]): number {
  return many - few || (one < other ? -1 : 1)
}

/** Returns the greatest or the least value; undefined if there are none. */
function extremeOf(values: readonly number[], isLeast: boolean): number | undefined {
  const pick = isLeast ? Math.min : Math.max
  return values.length === 0 ? undefined : values.reduce((best, value) => pick(best, value))
}

type CountingPlan = Exclude<Plan, { asks: 'rows' | 'extreme' | 'value' }>

/**
 * Returns the plan that lists the rows from which a count, a sum or groups were computed. For the best groups it lists
 * the rows in them.
 */
export function recordsBehind(plan: CountingPlan, view: View, cells: readonly Cell[][]): Plan {
  return { type: plan.type, asks: 'rows', where: [...plan.where, ...narrowing(plan, view, cells)] }
}

function narrowing(plan: CountingPlan, view: View, cells: readonly Cell[][]): Condition[] {
  switch (plan.asks) {
    case 'count':
      return []
    case 'sum':
    case 'average':
      return [{ column: plan.column, is: 'filled' }]
    case 'groups':
      return [{ column: plan.group.column, is: 'filled' }]
    default:
      return [inGroups(plan.group, view, cells)]
  }
}

/** Returns the condition for rows in the shown groups. For columns that are not texts, only the first group is used. */
function inGroups({ column, span }: Group, view: View, cells: readonly Cell[][]): Condition {
  const names = cells.map(([name]) => String(name))
  const kind = view.columns[column]!.kind
  const [first] = names
  if (first === undefined || kind === 'text' || kind === 'list') return { column, is: 'in', values: names }
  if (kind === 'flag') return { column, is: first === 'true' ? 'true' : 'false' }
  if (kind === 'number') return { column, is: '=', value: Number(first) }
  return { column, is: 'within', from: Date.parse(first), to: span ? endOf(first) : Date.parse(first) + 1 }
}

/** Returns the end of the day, month or year that is the name of a group, in milliseconds since 1970. */
function endOf(name: string): number {
  const [year = 0, month, day] = name.split('-').map(Number)
  if (day !== undefined) return Date.UTC(year, month! - 1, day + 1)
  return month === undefined ? Date.UTC(year + 1, 0) : Date.UTC(year, month)
}

import type { Cell, Condition, Group, Plan, View } from './plan.ts'

type Counted = Exclude<Plan, { asks: 'rows' | 'extreme' }>

/** The plan for the records that a count, a sum or groups were computed from; of the best groups, those in them. */
export function recordsBehind(plan: Counted, view: View, cells: readonly Cell[][]): Plan {
  return { type: plan.type, asks: 'rows', where: [...plan.where, ...narrowing(plan, view, cells)] }
}

function narrowing(plan: Counted, view: View, cells: readonly Cell[][]): Condition[] {
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

/** The rows of the groups that are told; of groups that are no texts, those of the first. */
function inGroups({ column, span }: Group, view: View, cells: readonly Cell[][]): Condition {
  const names = cells.map(([name]) => String(name))
  const kind = view.columns[column]!.kind
  const [first] = names
  if (first === undefined || kind === 'text' || kind === 'list') return { column, is: 'in', values: names }
  if (kind === 'flag') return { column, is: first === 'true' ? 'true' : 'false' }
  if (kind === 'number') return { column, is: '=', value: Number(first) }
  return { column, is: 'within', from: Date.parse(first), to: span ? endOf(first) : Date.parse(first) + 1 }
}

/** When the day, month or year ends that a group is named after, in milliseconds since 1970. */
function endOf(name: string): number {
  const [year = 0, month, day] = name.split('-').map(Number)
  if (day !== undefined) return Date.UTC(year, month! - 1, day + 1)
  return month === undefined ? Date.UTC(year + 1, 0) : Date.UTC(year, month)
}

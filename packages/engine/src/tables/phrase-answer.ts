import { MS_PER_DAY, writeDay } from '../text/civil-date.ts'
import { upperFirst } from '../text/words.ts'
import { writeWithUnit } from './cell-units.ts'
import type { Cell, Condition, Group, Plan, View } from './plan.ts'
import { isPast, PHASE_COLUMN } from './query-parser/partial-parse.ts'

/** Maximum number of names in a sentence. The rows contain the other names. */
const NAMES_LISTED_MAX = 8
const DECIMALS = 100

/** Returns the answer to a plan in one or two sentences, from the same cells as its rows. */
export function phraseAnswer(plan: Plan, view: View, cells: readonly Cell[][]): string {
  const total = totalOf(plan, cells)
  const where = whereOf(plan.where, view)
  switch (plan.asks) {
    case 'count':
      return `${thereAre(total, view)}${where}.`
    case 'rows':
      if (total === 0) return `${thereAre(0, view)}${where}.`
      return `${thereAre(total, view)}${where}${tableOf(view, cells) ?? `: ${titles(view, cells)}.`}`
    case 'groups': {
      const counted = cells.map(([name, count]) => `${labelOf(view, plan.group, name)} ${written(count)}`)
      const by = groupName(view, plan.group)
      if (cells.length === 0) return `There are no ${nounOf(view, 2)}${where} with a ${by}.`
      return `${upperFirst(nounOf(view, 2))}${where} by ${by}: ${listed(counted, total)}.`
    }
    case 'best': {
      const names = cells.map(([name]) => labelOf(view, plan.group, name))
      if (names.length === 0) return `There are no ${nounOf(view, 2)}${where}.`
      const count = Number(cells[0]?.[1])
      const measure =
        plan.sum === undefined ? nounOf(view, count) : `${columnName(view, plan.sum)} in ${nounOf(view, 2)}`
      const most = plan.isLeast ? 'fewest' : 'most'
      const each = names.length > 1 ? ' each' : ''
      const has = names.length > 1 ? 'have' : 'has'
      return `${listed(names, total)} ${has} the ${most}: ${written(count)} ${measure}${each}${where}.`
    }
    case 'extreme': {
      if (cells.length === 0) return `There are no ${nounOf(view, 2)}${where} to compare.`
      const value = shownValue(view, plan.column, Number(cells[0]?.[0]))
      const which = plan.isLeast ? 'least' : 'greatest'
      const of = `${columnName(view, plan.column)} of ${nounOf(view, 2)}${where}`
      return `The ${which} ${of} is ${value}: ${titles(view, cells)}.`
    }
    case 'value': {
      const { title } = view.rows.at(Number(cells[0]?.[0]))!
      const [value, name] = [cellText(view, plan.column, Number(cells[0]?.[0])), columnName(view, plan.column)]
      return value === '' ? `No ${name} is given for ${title}.` : `The ${name} of ${title} is ${value}.`
    }
    default: {
      const name = plan.asks === 'sum' ? 'total' : 'average'
      const counted = Number(cells[0]?.[1])
      if (counted === 0) return `No ${nounOf(view, 1)}${where} has a value in ${columnName(view, plan.column)}.`
      const of = `${counted} ${nounOf(view, counted)}`
      const value = measured(view, plan.column, cells[0]?.[0])
      return `The ${name} ${columnName(view, plan.column)} of ${of}${where} is ${value}.`
    }
  }
}

/** Returns the number of rows or groups that a plan found. Includes those that are not shown. */
export function totalOf(plan: Plan, cells: readonly Cell[][]): number {
  if (plan.asks === 'count') return Number(cells[0]?.[0])
  if (plan.asks === 'sum' || plan.asks === 'average') return cells.length
  return Number(cells[0]?.at(-1) ?? 0)
}

/** Returns the display text of a group. */
export function labelOf(view: View, { column, span }: Group, cell: Cell | undefined): string {
  const text = String(cell)
  const { labels } = view.columns[column]!
  return span ? text : (labels.get(text) ?? view.people.labels.get(text) ?? text)
}

export function groupName(view: View, { column, span }: Group): string {
  return span ?? columnName(view, column)
}

export function columnName(view: View, column: number): string {
  return view.columns[column]!.words.join(' ')
}

/** Returns the display text of a cell: a time as its day, an entity by its name. */
function shownValue(view: View, column: number, row: number): string {
  const { kind, cells } = view.columns[column]!
  const cell = cells[row] ?? null
  if (kind === 'time' && typeof cell === 'number') return writeDay(Math.floor(cell / MS_PER_DAY))
  return [cell]
    .flat()
    .map((each) => labelOf(view, { column }, each as Cell))
    .join(', ')
}

/**
 * Maximum number of columns of a table in an answer, for readability. The next constant is the maximum number of rows.
 * More rows are listed by their titles.
 */
const TABLE_COLUMNS_MAX = 6
const TABLE_ROWS_MAX = 20

/** Returns rows of a sheet as a Markdown table; undefined for other records, and for large tables. */
function tableOf(view: View, cells: readonly Cell[][]): string | undefined {
  if (cells.length < 2 || cells.length < Number(cells[0]?.at(-1)) || cells.length > TABLE_ROWS_MAX) return undefined
  const rows = cells.map(([row]) => Number(row))
  const columns = view.columns.flatMap(({ name, cells: all }, column) =>
    !ROW_FIELDS.has(name) && rows.some((row) => all[row] !== null) ? [column] : [],
  )
  const isTitle = (column: number) => rows.every((row) => shownValue(view, column, row) === view.rows.at(row)!.title)
  if (columns.length > TABLE_COLUMNS_MAX || !columns.some(isTitle)) return undefined
  const lines = [
    columns.map((column) => view.columns[column]!.name),
    columns.map(() => '---'),
    ...rows.map((row) => columns.map((column) => cellText(view, column, row))),
  ]
  return `:\n\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}`
}

/** Fields that every row has in addition to the columns of its sheet. */
const ROW_FIELDS: ReadonlySet<string> = new Set(['author', 'occurred_at', 'path', PHASE_COLUMN])

function cellText(view: View, column: number, row: number): string {
  const { kind, unit, cells } = view.columns[column]!
  if ((cells[row] ?? null) === null) return ''
  const isMeasured = kind === 'number' && unit !== undefined
  return isMeasured ? writeWithUnit(String(cells[row]), unit) : shownValue(view, column, row).replaceAll('|', '\\|')
}

/** Returns the noun for rows of a view, in singular or plural by the count. */
export function nounOf(view: View, count: number): string {
  return view.nouns[count === 1 ? 0 : 1]!.join(' ')
}

function thereAre(count: number, view: View): string {
  return count === 1
    ? `There is 1 ${nounOf(view, 1)}`
    : `There are ${count === 0 ? 'no' : count} ${nounOf(view, count)}`
}

function titles(view: View, cells: readonly Cell[][]): string {
  const names = cells.map(([row]) => {
    const { externalId, title } = view.rows.at(Number(row))!
    return title === externalId ? `“${title}”` : `“${title}” (${externalId})`
  })
  return listed(names, Number(cells[0]?.at(-1) ?? names.length))
}

function listed(names: readonly string[], total: number): string {
  const shown = names.slice(0, NAMES_LISTED_MAX)
  const more = Math.max(total, names.length) - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

function written(value: Cell | undefined): string {
  return String(Math.round(Number(value) * DECIMALS) / DECIMALS)
}

/** Returns the text of a column's value with its unit. */
function measured(view: View, column: number, value: Cell | undefined): string {
  const { unit } = view.columns[column]!
  return unit === undefined ? written(value) : writeWithUnit(written(value), unit)
}

function whereOf(where: readonly Condition[], view: View): string {
  const conditions = where.map((condition) => conditionText(condition, view))
  return conditions.length === 0 ? '' : ` with ${conditions.join(' and ')}`
}

function firstWord(view: View, column: number): string {
  return view.columns[column]!.words[0] ?? ''
}

function conditionText(condition: Condition, view: View): string {
  const name = columnName(view, condition.column)
  switch (condition.is) {
    case 'in':
      return `${name} ${condition.values.map((value) => labelOf(view, condition, value)).join(' or ')}`
    case 'true':
    case 'false':
      return `${name} ${condition.is}`
    case 'filled':
      return isPast(firstWord(view, condition.column)) ? `${name} filled` : `a ${name}`
    case 'empty':
      return isPast(firstWord(view, condition.column)) ? `${name} empty` : `no ${name}`
    case 'within':
      return `${name} ${within(condition.from, condition.to)}`
    default:
      return `${name} ${condition.is} ${condition.value}`
  }
}

function within(from: number | null, to: number | null): string {
  const first = from === null ? undefined : writeDay(Math.floor(from / MS_PER_DAY))
  const last = to === null ? undefined : writeDay(Math.floor((to - 1) / MS_PER_DAY))
  if (first === last) return `on ${first}`
  if (first === undefined) return `until ${last}`
  return last === undefined ? `since ${first}` : `from ${first} to ${last}`
}

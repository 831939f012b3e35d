import { valuesAt } from '../json/field-mapping.ts'
import { pick } from '../pick.ts'

type Arguments = Readonly<Record<string, unknown>>

/** A position in a list, or a time filter, as an argument in snake case. */
const MOVING = new RegExp(
  [
    '(^|_)(since|until|before|after|oldest|latest|newer|older|days|hours|cursor|offset|skip|date|dates)(_|$)',
    '^(page|page_(no|num|number|index|token)|start_(page|at|index)|next|next_token|next_page_token)$',
    '^(continuation|continuation_token|(start|end|from|to|min|max|begin)_time)$',
    '^(time_(min|max|range|frame|window)|timeframe|period|window|lookback|recency)$',
  ].join('|'),
)
/** The same where the name also has other meanings: only numbers and times count. */
const MOVING_VALUE = /^(from|to|start|end)$/
/** The maximum number of items, as an argument in snake case. */
const LIMIT =
  /^(limit|per_page|page_size|page_limit|max|max_(results|items|count|records)|num_results|count|size|top|top_k)$/
/** A date, or a time relative to now, inside a query. */
const TIME_IN_QUERY = /\b\d{4}-\d\d-\d\d|(^|[\s:=<>"'(])-\d+[smhdwMy]\b|\b(newer|older)_than\b|\bnow\b/

/**
 * Returns the arguments that say what is listed, without positions in the list and time filters. Calls that differ only
 * in those read the same list.
 */
export function fixedArguments(given: Arguments): Arguments {
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => !isMoving(name, value)))
}

function isMoving(name: string, value: unknown): boolean {
  const written = snake(name)
  if (MOVING.test(written)) return true
  if (MOVING_VALUE.test(written)) return typeof value === 'number' || /^[\d-]|now/.test(String(value))
  if (typeof value === 'string') return TIME_IN_QUERY.test(value)
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([inner, one]) => isMoving(Array.isArray(value) ? '' : inner, one))
}

function snake(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}

/**
 * Returns true if the result of a call is a whole list, so that an item that is missing from it no longer exists. It is
 * not if the arguments ask for a page or a time, if the result says that there is more, or if the tool returns pages
 * and the result does not say that this was the last one.
 * @param lists the lists of items in the body
 */
export function isCompleteResult(
  inputSchema: Readonly<Record<string, unknown>>,
  given: Arguments,
  body: unknown,
  lists: readonly (readonly unknown[])[],
): boolean {
  if (lists.length === 0) return false
  const offered = Object.entries((pick(inputSchema, 'properties') ?? {}) as object)
  const defaults = offered.flatMap(([name, schema]) => {
    const value = pick(schema, 'default')
    return value === undefined || value === null ? [] : [[name, value] as const]
  })
  const asked = { ...Object.fromEntries(defaults.filter(([name]) => !isStart(name))), ...given }
  if (Object.entries(asked).some(([name, value]) => isMoving(name, value))) return false
  const items = lists.reduce((sum, list) => sum + list.length, 0)
  const isLast = isLastPage(body, items)
  if (isLast !== undefined) return isLast
  const isPaged = (name: string) => LIMIT.test(snake(name)) || isStart(name)
  return ![...offered.map(([name]) => name), ...Object.keys(given)].some(isPaged)
}

/** Returns true for an argument that selects a page. Its default is the first page. */
function isStart(name: string): boolean {
  return /^(page|page_(no|num|number|index|token)|cursor|offset|skip|after|start|start_at|next_token)$/.test(
    snake(name),
  )
}

const MORE = /^(has_more|has_next|has_next_page|more|truncated|is_truncated|incomplete|incomplete_results|partial)$/
const NEXT = /^(next|next_(cursor|token|page|page_token|url|link|offset)|continuation|continuation_token)$/
const TOTAL = /^(total|total_count|total_results|total_items)$/
const FAILED = /^(error|errors)$/

/** Returns true if a result says that it is the last page, false if there is more; undefined if it says neither. */
function isLastPage(body: unknown, items: number): boolean | undefined {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return undefined
  // Paging is in the result itself, or in one object of it such as `pageInfo`.
  const inner = Object.values(body).filter((value) => value && typeof value === 'object' && !Array.isArray(value))
  const fields = [body, ...inner].flatMap((one) => Object.entries(one as object))
  const said = fields.flatMap(([name, value]) => {
    const written = snake(name)
    if (MORE.test(written) && typeof value === 'boolean') return [!value]
    if (/^is_last(_page)?$/.test(written) && typeof value === 'boolean') return [value]
    if (TOTAL.test(written) && typeof value === 'number') return [value <= items]
    if (FAILED.test(written)) return isEmpty(value) ? [] : [false]
    return NEXT.test(written) ? [isEmpty(value)] : []
  })
  return said.length === 0 ? undefined : said.every(Boolean)
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0)
}

/** Returns the lists in a body that a mapping reads its records from. */
export function listsOf(body: unknown, records: unknown): unknown[][] {
  if (typeof records !== 'string') return Array.isArray(body) ? [body] : []
  const path = records.replace(/(\[\*?\]|\.\*|\/\*)$/, '')
  const found = path === '' || path === '$' ? [body] : valuesAt(body, path)
  return found.filter((value) => Array.isArray(value))
}

import { valuesAt } from '../json/field-mapping.ts'
import { isObject, pick } from '../pick.ts'

type Arguments = Readonly<Record<string, unknown>>

/** The parts of a tool call that decide if its result is complete. */
export interface ListCall {
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly given: Arguments
  /** The user's statement that the result lists everything. */
  readonly complete: boolean | undefined
}

/** Reasons for which records that a result lacks may be deleted. */
export type Completeness =
  /** The user states that the result lists everything. */
  | 'stated'
  /** The tool takes no arguments, so that nothing can filter or page its result. It may list only the newest items. */
  | 'unfiltered'
  /** Records may be missing from the result although they exist. */
  | 'unknown'

/**
 * Returns the reason for which records that a result lacks may be deleted. A stale record does less harm than a lost
 * one, so doubtful cases are `unknown`. These are calls with arguments, unless the user states that they list
 * everything, and results without a list or with a marker of another page or an error. A result with exactly as many
 * items as a number among the arguments is doubtful too, because the number may be the page size.
 * @param lists the lists of items in the body
 */
export function completenessOf(
  { inputSchema, given, complete }: ListCall,
  body: unknown,
  lists: readonly (readonly unknown[])[],
): Completeness {
  const items = lists.reduce((sum, list) => sum + list.length, 0)
  if (complete === false || lists.length === 0 || mayHaveMore(body, items)) return 'unknown'
  const offered = Object.values((pick(inputSchema, 'properties') ?? {}) as object)
  if (complete) {
    const numbers = [...offered.map((schema) => pick(schema, 'default')), ...Object.values(given)].map(toNumber)
    const isFull = (length: number) => length > 0 && numbers.includes(length)
    return isFull(items) || lists.some(({ length }) => isFull(length)) ? 'unknown' : 'stated'
  }
  const takesOther = pick(inputSchema, 'additionalProperties') || pick(inputSchema, 'patternProperties')
  const isBare = offered.length === 0 && !takesOther && Object.keys(given).length === 0
  return isBare ? 'unfiltered' : 'unknown'
}

/** Returns the number in an argument. Some servers take numbers as text. */
function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : undefined
}

/** Field names that mark another page or an incomplete result, in lower case without separators. */
const MORE = /^(hasmore|hasnext|hasnextpage|more|truncated|istruncated|incomplete|incompleteresults|partial)$/
const LAST = /^(islast|islastpage)$/
const NEXT = /^(next(cursor|token|page|pagetoken|url|link|offset)?|continuation(token)?|errors?)$/
const TOTAL = /^total(count|results|items)?$/

/** Returns true if a body marks more items or an error, at its top level or in an object such as `pageInfo`. */
function mayHaveMore(body: unknown, items: number): boolean {
  if (!isObject(body)) return false
  const fields = [body, ...Object.values(body).filter(isObject)].flatMap((one) => Object.entries(one))
  return fields.some(([name, value]) => {
    const marker = name.replace(/[_-]/g, '').toLowerCase()
    if (MORE.test(marker) || NEXT.test(marker)) return !isEmpty(value)
    if (LAST.test(marker)) return value !== true
    return TOTAL.test(marker) && toNumber(value) !== items
  })
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

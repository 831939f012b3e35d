import { oneLine } from '../document.ts'
import type { SheetCell, SheetRow } from './sheet.ts'

/** The lines that head a table, by their indexes, and what they call each column. */
export interface TableHeader {
  readonly from: number
  readonly to: number
  readonly columns: ReadonlyMap<number, string>
}

const HEADER_CHARS_MAX = 120
/** A header names so much of the widest row. */
const HEADER_SHARE_MIN = 0.6
const HEADER_LINES_MAX = 4
/** As pandas calls a column without a name. */
const UNNAMED = /^Unnamed: \d+$/

/** Finds the header of a table among its first rows: one line, or several of which the upper ones group columns. */
export function headerIn(rows: readonly SheetRow[]): TableHeader | undefined {
  const at = headerAt(rows) ?? yearsAt(rows)
  for (let from = 0; from < rows.length - 2 && (at === undefined || from <= at); from += 1) {
    const to = groupedUntil(rows, from)
    if (to !== undefined) return { from, to, columns: namesOf(rows.slice(from, to + 1)) }
  }
  return at === undefined ? undefined : { from: at, to: at, columns: namesOf([rows[at]!]) }
}

/** Finds a header of several lines at the beginning of a table. */
export function groupedHeaderOf(rows: readonly SheetRow[]): TableHeader | undefined {
  const to = rows.length > 2 ? groupedUntil(rows, 0) : undefined
  return to === undefined ? undefined : { from: 0, to, columns: namesOf(rows.slice(0, to + 1)) }
}

/**
 * Which of the first rows heads those below: short texts of different words, nearly as wide as the widest of them. Of
 * such rows above each other a wider one is meant that has other than such texts below it: what stands over it is told
 * of the whole.
 */
function headerAt(rows: readonly SheetRow[]): number | undefined {
  const width = widthOf(rows)
  const mayHead = (row: SheetRow) =>
    row.cells.size >= Math.max(2, width * HEADER_SHARE_MIN) && isNamed(row) && hasOwnNames(row)
  const first = rows.findIndex(mayHead)
  const wider = rows.findIndex(
    (row, at) =>
      first >= 0 &&
      at > first &&
      row.cells.size > rows[first]!.cells.size &&
      mayHead(row) &&
      !rows.slice(at + 1).every(isNamed),
  )
  const at = first >= 0 && wider >= 0 && rows.slice(first, wider).every(isNamed) ? wider : first
  return at >= 0 && at + 1 < rows.length ? at : undefined
}

/** Finds a header whose columns are years or days beside at least one name: "Region, 2024, 2025". */
function yearsAt(rows: readonly SheetRow[]): number | undefined {
  const width = widthOf(rows)
  const at = rows.findIndex((row) => {
    const values = [...row.cells.values()].map(({ value }) => value)
    const isHeader = values.every((value) => isPeriod(value) || (typeof value === 'string' && isName(value)))
    const isWide = values.length >= Math.max(2, width * HEADER_SHARE_MIN)
    return isWide && isHeader && values.some((value) => !isPeriod(value)) && hasOwnNames(row)
  })
  return at >= 0 && at + 1 < rows.length ? at : undefined
}

function isPeriod(value: SheetCell['value']): boolean {
  return /^(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?$/.test(String(value))
}

/** The last line of a header of several lines that begins here; undefined where none does. */
function groupedUntil(rows: readonly SheetRow[], from: number): number | undefined {
  const first = rows[from]!
  const next = rows[from + 1]!
  if (!isNamed(first) || !isNamed(next) || isOneRegion(first) || isOneRegion(next)) return undefined
  if (!(isMergedHeader(rows, from) || isGappedHeader(rows, from))) return undefined
  let to = from + 1
  while (to - from + 1 < HEADER_LINES_MAX && to + 2 < rows.length) {
    if (!hasGroups(rows[to]!) || !isNamed(rows[to + 1]!)) break
    to += 1
  }
  const named = new Set(namesOf(rows.slice(from, to + 1)).keys())
  return named.size >= Math.max(2, widthOf(rows) * HEADER_SHARE_MIN) ? to : undefined
}

/** Whether merged cells say that a row and the next are one header: over several columns, or down into the next row. */
function isMergedHeader(rows: readonly SheetRow[], from: number): boolean {
  const first = rows[from]!
  const next = rows[from + 1]!
  const below = rows.slice(from + 2)
  if (hasGroups(first)) return [...next.cells.values()].some(({ merged }) => !merged || merged.top === next.row)
  const down = [...first.cells.values()].filter(({ merged }) => merged && merged.bottom > first.row)
  const endsTogether = down.every(({ merged }) => merged!.bottom === next.row)
  return down.length > 0 && endsTogether && !below.every(isNamed)
}

function hasGroups({ row, cells }: SheetRow): boolean {
  return [...cells.values()].some(({ merged }) => merged && merged.right > merged.left && merged.bottom === row)
}

/**
 * Whether a row groups the columns of the next without merged cells, as a CSV has it: it leaves cells out that the next
 * row fills, which repeats its names or leaves out what stands in the first.
 */
function isGappedHeader(rows: readonly SheetRow[], from: number): boolean {
  const first = rows[from]!
  const next = rows[from + 1]!
  const below = rows.slice(from + 2)
  if (first.cells.size < 2 || below.every(isNamed)) return false
  const fills = [...next.cells.keys()].filter((column) => !first.cells.has(column))
  const leavesOut = [...first.cells.keys()].some((column) => !next.cells.has(column))
  if (fills.length === 0 || !(leavesOut || !hasOwnNames(next))) return false
  // What stands again below is a value.
  const isValue = ([column, { value }]: [number, SheetCell]) =>
    below.some(({ cells }) => cells.get(column)?.value === value)
  return ![...next.cells].some(isValue) && new Set(namesOf([first, next]).values()).size >= widthOf([first, next])
}

/** The name of each column by the lines of a header, from the upper to the lower, each name once. */
function namesOf(lines: readonly SheetRow[]): Map<number, string> {
  const parts = new Map<number, string[]>()
  const columns = [...new Set(lines.flatMap(({ cells }) => [...cells.keys()]))].toSorted((one, other) => one - other)
  for (const [at, { cells }] of lines.entries()) {
    let group: string | undefined
    const isMerged = [...cells.values()].some(({ merged }) => merged)
    for (const column of columns) {
      const own = cells.get(column)
      if (own) group = oneLine(String(own.shown ?? own.value))
      // The name of a group stands over its first column only, where cells are not merged.
      const isGrouped = !isMerged && at + 1 < lines.length && lines.slice(at + 1).some((line) => line.cells.has(column))
      const name = own || isGrouped ? group : undefined
      if (name === undefined || UNNAMED.test(name)) continue
      const said = parts.get(column) ?? []
      if (said.at(-1) !== name) parts.set(column, [...said, name])
    }
  }
  const used = new Map<string, number>()
  return new Map(
    [...parts].map(([column, said]) => {
      const name = said.join(' ')
      const times = (used.get(name) ?? 0) + 1
      used.set(name, times)
      return [column, times === 1 ? name : `${name} ${times}`] as const
    }),
  )
}

function widthOf(rows: readonly SheetRow[]): number {
  return Math.max(0, ...rows.filter((row) => !isOneRegion(row)).map(({ cells }) => cells.size))
}

/** Whether all that a row has is one cell that is merged over others. */
export function isOneRegion({ cells }: SheetRow): boolean {
  const [first, ...others] = [...cells.values()]
  return first?.merged !== undefined && others.every(({ merged }) => merged === first.merged) && others.length > 0
}

function hasOwnNames({ cells }: SheetRow): boolean {
  return new Set([...cells.values()].map(({ value }) => value)).size === cells.size
}

function isNamed({ cells }: SheetRow): boolean {
  return [...cells.values()].every(({ value }) => typeof value === 'string' && isName(value))
}

/** A short text, or signs such as "#" and "%". */
function isName(text: string): boolean {
  if (text.length > HEADER_CHARS_MAX || /^\d{4}-\d\d-\d\d/.test(text)) return false
  return /\p{L}/u.test(text) || /^[\p{S}\p{P}]{1,3}$/u.test(text)
}

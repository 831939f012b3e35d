import { oneLine } from '../document.ts'
import type { SheetCell, SheetRow } from './sheet.ts'

/** Indexes of the first and last header line of a table, and the names of the columns. */
export interface TableHeader {
  readonly from: number
  readonly to: number
  readonly columns: ReadonlyMap<number, string>
}

const HEADER_CHARS_MAX = 120
/** Minimum number of named columns in a header, as a share of the cells in the widest row. */
const HEADER_SHARE_MIN = 0.6
const HEADER_LINES_MAX = 4
/** Matches the name that pandas gives to a column without a name. */
const UNNAMED = /^Unnamed: \d+$/

/** Finds the header among the first rows of a table: one line, or several with groups of columns above. */
export function findHeader(rows: readonly SheetRow[]): TableHeader | undefined {
  const at = findHeaderRow(rows) ?? findYearHeaderRow(rows)
  for (let from = 0; from < rows.length - 2 && (at === undefined || from <= at); from += 1) {
    const to = groupedUntil(rows, from)
    if (to !== undefined) return { from, to, columns: namesOf(rows.slice(from, to + 1)) }
  }
  return at === undefined ? undefined : { from: at, to: at, columns: namesOf([rows[at]!]) }
}

/** Finds a multi-line header at the beginning of a table. */
export function groupedHeaderOf(rows: readonly SheetRow[]): TableHeader | undefined {
  const to = rows.length > 2 ? groupedUntil(rows, 0) : undefined
  return to === undefined ? undefined : { from: 0, to, columns: namesOf(rows.slice(0, to + 1)) }
}

/**
 * Returns the index of the header row. It has short, distinct texts and is nearly as wide as the widest row. A wider
 * candidate further down is preferred if it has values below it and only rows of short texts are between the two. The
 * rows above the header describe the whole table.
 */
function findHeaderRow(rows: readonly SheetRow[]): number | undefined {
  const width = widthOf(rows)
  const isHeaderCandidate = (row: SheetRow) =>
    row.cells.size >= Math.max(2, width * HEADER_SHARE_MIN) && isNamed(row) && hasOwnNames(row)
  const first = rows.findIndex(isHeaderCandidate)
  const wider = rows.findIndex(
    (row, at) =>
      first >= 0 &&
      at > first &&
      row.cells.size > rows[first]!.cells.size &&
      isHeaderCandidate(row) &&
      !rows.slice(at + 1).every(isNamed),
  )
  const at = first >= 0 && wider >= 0 && rows.slice(first, wider).every(isNamed) ? wider : first
  return at >= 0 && at + 1 < rows.length ? at : undefined
}

/** Finds a header that consists of at least one name and otherwise years or days: "Region, 2024, 2025". */
function findYearHeaderRow(rows: readonly SheetRow[]): number | undefined {
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

/** Returns the index of the last line of a multi-line header that begins at `from`. Undefined if none begins there. */
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

/** Returns true if merged cells join a row and the next one into a header, across columns or down into the next row. */
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
 * Returns true if a row names groups of the columns in the next row without merged cells, as in a CSV. The row lacks
 * cells that the next row has. The next row repeats a name or lacks a cell that this row has.
 */
function isGappedHeader(rows: readonly SheetRow[], from: number): boolean {
  const first = rows[from]!
  const next = rows[from + 1]!
  const below = rows.slice(from + 2)
  if (first.cells.size < 2 || below.every(isNamed)) return false
  const fills = [...next.cells.keys()].filter((column) => !first.cells.has(column))
  const leavesOut = [...first.cells.keys()].some((column) => !next.cells.has(column))
  if (fills.length === 0 || !(leavesOut || !hasOwnNames(next))) return false
  // A text that occurs again further down in its column is a value.
  const isValue = ([column, { value }]: [number, SheetCell]) =>
    below.some(({ cells }) => cells.get(column)?.value === value)
  return ![...next.cells].some(isValue) && new Set(namesOf([first, next]).values()).size >= widthOf([first, next])
}

/** Returns the name of each column: the texts of its header lines from top to bottom, without repeats. */
function namesOf(lines: readonly SheetRow[]): Map<number, string> {
  const parts = new Map<number, string[]>()
  const columns = [...new Set(lines.flatMap(({ cells }) => [...cells.keys()]))].toSorted((one, other) => one - other)
  for (const [at, { cells }] of lines.entries()) {
    let group: string | undefined
    const isMerged = [...cells.values()].some(({ merged }) => merged)
    for (const column of columns) {
      const own = cells.get(column)
      if (own) group = oneLine(String(own.shown ?? own.value))
      // Without merged cells, the name of a group is only above its first column.
      const isGrouped = !isMerged && at + 1 < lines.length && lines.slice(at + 1).some((line) => line.cells.has(column))
      const name = own || isGrouped ? group : undefined
      if (name === undefined || UNNAMED.test(name)) continue
      const labels = parts.get(column) ?? []
      if (labels.at(-1) !== name) parts.set(column, [...labels, name])
    }
  }
  const used = new Map<string, number>()
  return new Map(
    [...parts].map(([column, labels]) => {
      const name = labels.join(' ')
      const times = (used.get(name) ?? 0) + 1
      used.set(name, times)
      return [column, times === 1 ? name : `${name} ${times}`] as const
    }),
  )
}

function widthOf(rows: readonly SheetRow[]): number {
  return Math.max(0, ...rows.filter((row) => !isOneRegion(row)).map(({ cells }) => cells.size))
}

/** Returns true if a row consists of a single cell that is merged over several columns. */
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

/** Returns true if a text can name a column: a short text with a letter, or a symbol such as "#" and "%". */
function isName(text: string): boolean {
  if (text.length > HEADER_CHARS_MAX || /^\d{4}-\d\d-\d\d/.test(text)) return false
  return /\p{L}/u.test(text) || /^[\p{S}\p{P}]{1,3}$/u.test(text)
}

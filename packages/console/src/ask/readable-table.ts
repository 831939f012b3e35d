import { day, moment } from '../parts/format.ts'
import { labelOf } from '../parts/words.ts'

/** A cell of computed rows. */
export type TableCell = string | number | boolean | null

/** A column that is shown to users: its label, and its index in the rows. */
export interface ReadableColumn {
  label: string
  at: number
  isNumber: boolean
  /** True for days and times, which are not broken into lines. */
  isTime: boolean
  /** Formats a cell of the column. */
  format: (cell: TableCell) => string
}

/** A table for display: without ids, title first. Also has the record id of each row, if there is one. */
export interface ReadableTable {
  columns: ReadableColumn[]
  recordIdOf: (row: readonly TableCell[]) => string | undefined
}

/** Column names that are shown first, in this order. Other columns keep their order. */
const FIRST = ['title', 'name', 'subject', 'source', 'source_name', 'date', 'occurred_at', 'value']
const ID_NAME = /(?:^|[_ ])ids?$/i
const ID = /^[a-z]{2,5}_[0-9a-z]{20,}$/i
const RECORD_ID = /^rec_[0-9a-z]{20,}$/i
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/
const MIDNIGHT = /T00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)$/

/** Returns the table for display. Ids are shown only if there is nothing else. */
export function readableTable(names: readonly string[], rows: readonly (readonly TableCell[])[]): ReadableTable {
  const all = names.map((name, at) => ({ name, at, cells: rows.map((row) => row[at] ?? null) }))
  const filled = all.filter(({ cells }) => rows.length === 0 || cells.some((cell) => cell !== null && cell !== ''))
  const read = filled.filter(({ name, cells }) => !ID_NAME.test(name) && !areAll(cells, ID))
  const shown = read.length > 0 ? read : all
  const recordAt = all.find(({ cells }) => areAll(cells, RECORD_ID))?.at
  return {
    columns: [...shown].sort((one, other) => rankOf(one.name) - rankOf(other.name)).map(columnOf),
    recordIdOf: (row) => (recordAt === undefined ? undefined : String(row[recordAt])),
  }
}

function rankOf(name: string): number {
  const at = FIRST.indexOf(name.toLowerCase().replaceAll(' ', '_'))
  return at === -1 ? FIRST.length : at
}

function columnOf({ name, at, cells }: { name: string; at: number; cells: readonly TableCell[] }): ReadableColumn {
  const isNumber = cells.some((cell) => typeof cell === 'number')
  const isTime = areAll(cells, DAY) || areAll(cells, TIME)
  return { label: labelOf(name), at, isNumber, isTime, format: formatOf(cells) }
}

function formatOf(cells: readonly TableCell[]): ReadableColumn['format'] {
  if (areAll(cells, DAY)) return (cell) => day(cell as string | null)
  if (areAll(cells, TIME)) return (cell) => (areAll(cells, MIDNIGHT) ? day : moment)(cell as string | null)
  return (cell) => (cell === null ? '–' : String(cell))
}

/** Returns true if there are texts, and all of them match. */
function areAll(cells: readonly TableCell[], pattern: RegExp): boolean {
  const given = cells.filter((cell) => cell !== null && cell !== '')
  return given.length > 0 && given.every((cell) => typeof cell === 'string' && pattern.test(cell))
}

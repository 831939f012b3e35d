import {
  type DocumentItem,
  type DocumentPart,
  markdownHeader,
  markdownHeading,
  markdownRow,
  partsOf,
  type TableRow,
  type Unit,
} from '../document.ts'
import type { SheetCell, SheetRow } from './sheet.ts'
import { headerIn, isOneRegion, type TableHeader } from './table-header.ts'
import { TotalRows } from './total-rows.ts'

/** A sheet with its rows as a stream. */
export interface Sheet {
  readonly name: string
  /** True if the sheet's name is part of the text. A file with only one sheet uses the file's name. */
  readonly isNamed: boolean
  readonly rows: AsyncIterable<SheetRow> | Iterable<SheetRow>
  /** Returns the locator of cells, such as `Sheet1!A5:F5`. Absent for a table without sheets. */
  locate?(row: number, columns: readonly number[]): string
}

/** Number of leading rows that are searched for a header. */
export const LOOKED_AT = 24
/** Maximum number of total and section rows of one table that are kept as text. */
const TOTALS_MAX = 1_000

/**
 * Reads a sheet. With a header, yields its rows as items, and the lines above the header and the totals as text.
 * Without a header, yields all rows as text.
 */
export async function* readTable(sheet: Sheet): AsyncGenerator<DocumentItem> {
  const rows = sheet.rows[Symbol.asyncIterator as never]
    ? (sheet.rows as AsyncIterable<SheetRow>)
    : later(sheet.rows as Iterable<SheetRow>)
  const reading = rows[Symbol.asyncIterator]()
  const first: SheetRow[] = []
  while (first.length < LOOKED_AT) {
    const next = await reading.next()
    if (next.done) break
    if (next.value.cells.size > 0) first.push(next.value)
  }
  const rest = { [Symbol.asyncIterator]: () => reading }
  const header = headerIn(first)
  if (header === undefined) return yield* partsOf(textRows(sheet, first, rest), '\n')
  yield* partsOf(aboveRows(sheet, first, header))
  yield* bodyRows(sheet, header, async function* () {
    yield* first.slice(header.to + 1)
    yield* rest
  })
}

async function* later<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}

function aboveRows(sheet: Sheet, first: readonly SheetRow[], { from, to, columns }: TableHeader): Unit[] {
  const heading = sheet.isNamed ? [{ text: markdownHeading(2, sheet.name) }] : []
  const names = {
    text: markdownHeader([...columns.values()]),
    locator: sheet.locate?.(first[to]!.row, [...columns.keys()]),
  }
  return [...heading, ...first.slice(0, from).map((row) => unitOf(sheet, row)), names]
}

/** Yields the rows below a header, then total rows, section headings and notes as text. */
async function* bodyRows(
  sheet: Sheet,
  { columns }: TableHeader,
  rows: () => AsyncIterable<SheetRow>,
): AsyncGenerator<TableRow | DocumentPart> {
  const totals = new TotalRows(Math.min(...columns.keys()))
  const told: Unit[] = []
  for await (const [row, isLast] of withLast(filled(rows()))) {
    if (isHeaderAgain(row, columns)) continue
    const isSection = columns.size > 1 && isOneRegion(row) && spans(row, columns)
    if (!isSection && !totals.take(row.cells, isLast)) yield rowItem(sheet, row, columns)
    else if (told.length < TOTALS_MAX) told.push(isSection ? unitOf(sheet, row) : totalUnit(sheet, row, columns))
  }
  yield* partsOf(told, '\n')
}

async function* filled(rows: AsyncIterable<SheetRow>): AsyncGenerator<SheetRow> {
  for await (const row of rows) if (row.cells.size > 0) yield row
}

/** Yields each item with a flag that is true for the last one. */
async function* withLast<T>(items: AsyncIterable<T>): AsyncGenerator<[T, boolean]> {
  let held: [T] | undefined
  for await (const item of items) {
    if (held) yield [held[0], false]
    held = [item]
  }
  if (held) yield [held[0], true]
}

/** Returns whether a row repeats the header, as each page of a printed table does. */
function isHeaderAgain({ cells }: SheetRow, columns: ReadonlyMap<number, string>): boolean {
  return cells.size > 1 && [...cells].every(([column, { value }]) => columns.get(column) === String(value))
}

function spans({ cells }: SheetRow, columns: ReadonlyMap<number, string>): boolean {
  return cells.size >= columns.size
}

function rowItem(sheet: Sheet, { row, cells }: SheetRow, columns: ReadonlyMap<number, string>): TableRow {
  const named = [...cells].map(([column, cell]) => [columns.get(column) ?? letters(column), cell] as const)
  const shown = named.flatMap(([name, cell]) => (cell.shown === undefined ? [] : [[name, cell.shown] as const]))
  const units = named.flatMap(([name, cell]) => (cell.unit === undefined ? [] : [[name, cell.unit] as const]))
  return {
    kind: 'row',
    table: sheet.name,
    row,
    cells: named.map(([name, { value }]) => [name, value]),
    ...(shown.length > 0 && { shown: Object.fromEntries(shown) }),
    ...(units.length > 0 && { units: Object.fromEntries(units) }),
    locator: sheet.locate?.(row, [...cells.keys()]),
  }
}

function totalUnit(sheet: Sheet, { row, cells }: SheetRow, columns: ReadonlyMap<number, string>): Unit {
  const label = [...cells.values()].find(({ value }) => typeof value === 'string')
  const values = [...cells].filter(([, { value }]) => value !== label?.value)
  const said = values.map(([column, cell]) => `${columns.get(column) ?? letters(column)}: ${textOf(cell)}`).join('; ')
  const text = [label && textOf(label).replace(/\s*:$/, ''), said].filter(Boolean).join(': ')
  return { text: `- ${text}`, locator: sheet.locate?.(row, [...cells.keys()]) }
}

async function* textRows(
  sheet: Sheet,
  first: readonly SheetRow[],
  rest: AsyncIterable<SheetRow>,
): AsyncGenerator<Unit> {
  if (sheet.isNamed && first.length > 0) yield { text: `${markdownHeading(2, sheet.name)}\n` }
  for (const row of first) yield unitOf(sheet, row)
  for await (const row of rest) if (row.cells.size > 0) yield unitOf(sheet, row)
}

function unitOf(sheet: Sheet, { row, cells }: SheetRow): Unit {
  // The text of merged cells appears once.
  const own = [...cells].filter(([column, { merged }]) => !merged || merged.left === column)
  const told = own.map(([, cell]) => textOf(cell))
  const text = told.length > 1 ? markdownRow(told) : told.join('')
  return { text, locator: sheet.locate?.(row, [...cells.keys()]) }
}

function textOf({ value, shown }: SheetCell): string {
  return shown ?? String(value)
}

/** Returns the letters of a column, counted from 0: A, B … Z, AA. */
export function letters(column: number): string {
  const before = Math.floor(column / 26) - 1
  return `${before >= 0 ? letters(before) : ''}${String.fromCharCode(65 + (column % 26))}`
}

/** Returns the reference of cells in a sheet in spreadsheet notation. */
export function placeInSheet(sheet: string, row: number, columns: readonly number[]): string {
  const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`
  const [from = 0, to = from] = [Math.min(...columns), Math.max(...columns)]
  const first = `${letters(from)}${row}`
  return `${name}!${from === to ? first : `${first}:${letters(to)}${row}`}`
}

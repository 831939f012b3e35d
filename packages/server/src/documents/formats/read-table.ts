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
import { findHeader, isOneRegion, type TableHeader } from './table-header.ts'
import { TotalRows } from './total-rows.ts'

/** A sheet whose rows are a stream. */
export interface Sheet {
  readonly name: string
  /** True if the name of the sheet is part of the text. A file with a single sheet uses the file's name. */
  readonly isNamed: boolean
  readonly rows: AsyncIterable<SheetRow> | Iterable<SheetRow>
  /** Returns the locator of cells, such as `Sheet1!A5:F5`. Absent for a table that is not in a sheet. */
  locate?(row: number, columns: readonly number[]): string
}

/** Maximum number of rows at the beginning in which a header is searched. */
export const HEADER_SCAN_ROWS = 24
/** Maximum number of total and section rows of a table that are kept as text. */
const TOTALS_MAX = 1_000

/**
 * Reads a sheet. If it has a header, yields its rows as items, and as text the lines above the header and the totals.
 * If it has none, yields all rows as text.
 */
export async function* readTable(sheet: Sheet): AsyncGenerator<DocumentItem> {
  const rows = sheet.rows[Symbol.asyncIterator as never]
    ? (sheet.rows as AsyncIterable<SheetRow>)
    : toAsync(sheet.rows as Iterable<SheetRow>)
  const reading = rows[Symbol.asyncIterator]()
  const first: SheetRow[] = []
  while (first.length < HEADER_SCAN_ROWS) {
    const next = await reading.next()
    if (next.done) break
    if (next.value.cells.size > 0) first.push(next.value)
  }
  const rest = { [Symbol.asyncIterator]: () => reading }
  const header = findHeader(first)
  if (header === undefined) return yield* partsOf(textRows(sheet, first, rest), '\n')
  yield* partsOf(rowsAboveHeader(sheet, first, header))
  yield* bodyRows(sheet, header, async function* () {
    yield* first.slice(header.to + 1)
    yield* rest
  })
}

async function* toAsync<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}

function rowsAboveHeader(sheet: Sheet, first: readonly SheetRow[], { from, to, columns }: TableHeader): Unit[] {
  const heading = sheet.isNamed ? [{ text: markdownHeading(2, sheet.name) }] : []
  const names = {
    text: markdownHeader([...columns.values()]),
    locator: sheet.locate?.(first[to]!.row, [...columns.keys()]),
  }
  return [...heading, ...first.slice(0, from).map((row) => unitOf(sheet, row)), names]
}

/** Yields the rows below a header. After them, yields total rows, section headings and notes as text. */
async function* bodyRows(
  sheet: Sheet,
  { columns }: TableHeader,
  rows: () => AsyncIterable<SheetRow>,
): AsyncGenerator<TableRow | DocumentPart> {
  const totals = new TotalRows(Math.min(...columns.keys()))
  const summaries: Unit[] = []
  for await (const [row, isLast] of withLast(filled(rows()))) {
    if (isRepeatedHeader(row, columns)) continue
    const isSection = columns.size > 1 && isOneRegion(row) && spans(row, columns)
    if (!isSection && !totals.take(row.cells, isLast)) yield rowItem(sheet, row, columns)
    else if (summaries.length < TOTALS_MAX)
      summaries.push(isSection ? unitOf(sheet, row) : totalUnit(sheet, row, columns))
  }
  yield* partsOf(summaries, '\n')
}

async function* filled(rows: AsyncIterable<SheetRow>): AsyncGenerator<SheetRow> {
  for await (const row of rows) if (row.cells.size > 0) yield row
}

/** Yields each item with a flag that is true for the last one. */
async function* withLast<T>(items: AsyncIterable<T>): AsyncGenerator<[T, boolean]> {
  let previous: [T] | undefined
  for await (const item of items) {
    if (previous) yield [previous[0], false]
    previous = [item]
  }
  if (previous) yield [previous[0], true]
}

/** Returns true if a row repeats the header. Printed tables have such a row on each page. */
function isRepeatedHeader({ cells }: SheetRow, columns: ReadonlyMap<number, string>): boolean {
  return cells.size > 1 && [...cells].every(([column, { value }]) => columns.get(column) === String(value))
}

function spans({ cells }: SheetRow, columns: ReadonlyMap<number, string>): boolean {
  return cells.size >= columns.size
}

function rowItem(sheet: Sheet, { row, cells }: SheetRow, columns: ReadonlyMap<number, string>): TableRow {
  const named = [...cells].map(([column, cell]) => [columns.get(column) ?? columnLetters(column), cell] as const)
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
  const cellsText = values
    .map(([column, cell]) => `${columns.get(column) ?? columnLetters(column)}: ${textOf(cell)}`)
    .join('; ')
  const text = [label && textOf(label).replace(/\s*:$/, ''), cellsText].filter(Boolean).join(': ')
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
  // The text of merged cells is used only once.
  const own = [...cells].filter(([column, { merged }]) => !merged || merged.left === column)
  const texts = own.map(([, cell]) => textOf(cell))
  const text = texts.length > 1 ? markdownRow(texts) : texts.join('')
  return { text, locator: sheet.locate?.(row, [...cells.keys()]) }
}

function textOf({ value, shown }: SheetCell): string {
  return shown ?? String(value)
}

/** Returns the letters of a column, counted from 0: A, B … Z, AA. */
function columnLetters(column: number): string {
  const before = Math.floor(column / 26) - 1
  return `${before >= 0 ? columnLetters(before) : ''}${String.fromCharCode(65 + (column % 26))}`
}

/** Returns the reference of cells in a sheet in spreadsheet notation. */
export function cellReference(sheet: string, row: number, columns: readonly number[]): string {
  const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`
  const [from = 0, to = from] = [Math.min(...columns), Math.max(...columns)]
  const first = `${columnLetters(from)}${row}`
  return `${name}!${from === to ? first : `${first}:${columnLetters(to)}${row}`}`
}

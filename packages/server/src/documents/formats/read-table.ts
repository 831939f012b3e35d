import {
  type DocumentItem,
  markdownHeading,
  markdownRow,
  oneLine,
  partsOf,
  type Unit,
  type Value,
} from '../document.ts'

/** A row as it stands in a sheet: its number, counted from 1, and its filled cells by column, counted from 0. */
export interface SheetRow {
  readonly row: number
  readonly cells: ReadonlyMap<number, Value>
}

/** A sheet, its rows as they come. */
export interface Sheet {
  readonly name: string
  /** Whether its name is told with it: a file of one sheet goes by its own. */
  readonly isNamed: boolean
  readonly rows: AsyncIterable<SheetRow> | Iterable<SheetRow>
  /** Where cells stand, as `Sheet1!A5:F5`; undefined for a table that has no sheets. */
  locate?(row: number, columns: readonly number[]): string
}

/** Rows among which a header is looked for. */
export const LOOKED_AT = 24
const HEADER_CHARS_MAX = 120
/** A header names so much of the widest row. */
const HEADER_SHARE_MIN = 0.6

/**
 * What a sheet comes to: under a header a row for each of its rows, with what stands above as text; without one its
 * rows as text.
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
  const at = headerAt(first)
  if (at === undefined) return yield* partsOf(textRows(sheet, first, rest), '\n')
  const header = first[at]!
  const columns = new Map([...header.cells].map(([column, value]) => [column, oneLine(String(value))] as const))
  const heading = sheet.isNamed ? [{ text: markdownHeading(2, sheet.name) }] : []
  const above = first.slice(0, at).map((row) => unitOf(sheet, row))
  const names = {
    text: [...columns.values()].join(' · '),
    locator: sheet.locate?.(header.row, [...header.cells.keys()]),
  }
  yield* partsOf([...heading, ...above, names])
  const below = async function* () {
    yield* first.slice(at + 1)
    yield* rest
  }
  for await (const { row, cells } of below()) {
    if (cells.size === 0) continue
    const told = [...cells].map(([column, value]) => [columns.get(column) ?? letters(column), value] as const)
    yield { kind: 'row', table: sheet.name, row, cells: told, locator: sheet.locate?.(row, [...cells.keys()]) }
  }
}

async function* later<T>(rows: Iterable<T>): AsyncGenerator<T> {
  yield* rows
}

/**
 * Which of the first rows heads those below: short texts of different words, nearly as wide as the widest of them. Of
 * such rows above each other a wider one is meant that has other than such texts below it: what stands over it is told
 * of the whole.
 */
export function headerAt(rows: readonly SheetRow[]): number | undefined {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.size))
  const isNamed = ({ cells }: SheetRow) =>
    [...cells.values()].every((value) => typeof value === 'string' && isName(value))
  const mayHead = (row: SheetRow) =>
    row.cells.size >= Math.max(2, width * HEADER_SHARE_MIN) &&
    isNamed(row) &&
    new Set(row.cells.values()).size === row.cells.size
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

function isName(text: string): boolean {
  return text.length <= HEADER_CHARS_MAX && /\p{L}/u.test(text) && !/^\d{4}-\d\d-\d\d/.test(text)
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
  const told = [...cells.values()].map(String)
  const text = told.length > 1 ? markdownRow(told) : told.join('')
  return { text, locator: sheet.locate?.(row, [...cells.keys()]) }
}

/** The letters of a column, counted from 0: A, B … Z, AA. */
export function letters(column: number): string {
  const before = Math.floor(column / 26) - 1
  return `${before >= 0 ? letters(before) : ''}${String.fromCharCode(65 + (column % 26))}`
}

/** The place of cells in a sheet as a spreadsheet writes it. */
export function placeInSheet(sheet: string, row: number, columns: readonly number[]): string {
  const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`
  const [from = 0, to = from] = [Math.min(...columns), Math.max(...columns)]
  const first = `${letters(from)}${row}`
  return `${name}!${from === to ? first : `${first}:${letters(to)}${row}`}`
}

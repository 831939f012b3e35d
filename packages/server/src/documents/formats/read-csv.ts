import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { decodeText } from '../decode-text.ts'
import { type DocumentFile, type DocumentItem, Refusal, type Value } from '../document.ts'
import { headerAt, LOOKED_AT, readTable, type SheetRow } from './read-table.ts'

const DELIMITERS = [',', ';', '\t', '|']
const SAMPLE_LINES = 20
/** Rows of which the columns' types are told, before the first is given. */
const SAMPLE_ROWS = 1_000
const PIECE_CHARS = 64 * 1024

/** Rows of texts between commas, semicolons, tabs or bars; numbers, days and truths are told column by column. */
export async function* readCsv({ bytes, name }: DocumentFile): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format: 'csv', within: [] }
  const text = decodeText(bytes)
  const table = stemOf(name)
  yield* readTable({ name: table, isNamed: false, rows: rowsOf(text) })
}

function stemOf(name: string): string {
  return name
    .split('/')
    .at(-1)!
    .replace(/\.[^.]+$/, '')
}

async function* rowsOf(text: string): AsyncGenerator<SheetRow> {
  const lines = parse({
    delimiter: delimiterOf(text),
    relaxQuotes: true,
    relaxColumnCount: true,
    skipEmptyLines: true,
    bom: true,
  })
  const reading = (Readable.from(piecesOf(text)).pipe(lines) as AsyncIterable<string[]>)[Symbol.asyncIterator]()
  const sample: string[][] = []
  const next = async () => {
    try {
      return await reading.next()
    } catch {
      throw new Refusal('file_damaged', 'A quotation in the table does not end.')
    }
  }
  while (sample.length <= SAMPLE_ROWS) {
    const { done, value } = await next()
    if (done) break
    sample.push(value)
  }
  const plain = sample.map((cells, row) => ({ row, cells: filledCells(cells) }))
  const header = headerAt(plain.slice(0, LOOKED_AT).filter(({ cells }) => cells.size > 0))
  const above = header === undefined ? 0 : (plain.filter(({ cells }) => cells.size > 0)[header]?.row ?? 0)
  const readers = readersOf(sample.slice(above + 1))
  let row = 0
  const told = (cells: readonly string[], isHeader: boolean): SheetRow => {
    row += 1
    const filled = cells.flatMap((cell, column) => {
      if (cell.trim() === '') return []
      return [[column, isHeader ? cell.trim() : (readers[column]?.(cell) ?? cell.trim())] as const]
    })
    return { row, cells: new Map(filled) }
  }
  for (const [at, cells] of sample.entries()) yield told(cells, at <= above)
  for (let more = await next(); !more.done; more = await next()) yield told(more.value, false)
}

function filledCells(cells: readonly string[]): Map<number, string> {
  return new Map(cells.flatMap((cell, column) => (cell.trim() === '' ? [] : [[column, cell.trim()] as const])))
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARS) yield text.slice(at, at + PIECE_CHARS)
}

/** The sign that stands equally often in most of the first lines. */
function delimiterOf(text: string): string {
  const lines = text.split('\n', SAMPLE_LINES).filter((line) => line.trim() !== '')
  const scored = DELIMITERS.map((sign) => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(sign).length - 1)
    const most = counts[0] ?? 0
    const alike = counts.filter((count) => count === most).length
    return { sign, score: most === 0 ? 0 : alike * 1_000 + most }
  })
  return scored.toSorted((one, other) => other.score - one.score)[0]!.sign
}

/** Reads the cells of one column of a file that has texts alone. */
type ReadCell = (text: string) => Value

/** Rows by which the type of a column is told. */
const TYPED_ROWS = 1_000
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i
const BEFORE = '^[-+]?(?:[$€£¥]\\s?)?-?'
const BEHIND = '\\s?(?:%|[€$£¥])?$'
const POINT_NUMBER = new RegExp(`${BEFORE}(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?${BEHIND}`)
const COMMA_NUMBER = new RegExp(`${BEFORE}(?:\\d{1,3}(?:[.\\s\u00a0']\\d{3})+|\\d+)(?:,\\d+)?${BEHIND}`)
const LEADING_ZERO = /^[-+]?0\d/
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/
const NUMERIC_DAY = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/
const TRUTH = new Map([
  ['true', true],
  ['false', false],
])
/** Digits that a number keeps exactly; a longer one is a name. */
const DIGITS_MAX = 15

/**
 * How each column's cells are read: as numbers, days, times or truths where all of its filled cells are such, else as
 * the texts that they are. A number with leading zeros is a name, and a day whose month could be its day is a text.
 */
function readersOf(rows: readonly (readonly string[])[]): ReadCell[] {
  const width = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: width }, (_, column) => {
    const cells = rows.slice(0, TYPED_ROWS).flatMap((row) => row[column]?.trim() || [])
    return cells.length === 0 ? plain : readerOf(cells)
  })
}

function plain(text: string): Value {
  return text.trim()
}

function readerOf(cells: readonly string[]): ReadCell {
  const all = (pattern: RegExp) => cells.every((cell) => pattern.test(cell))
  const isNamed = cells.some((cell) => LEADING_ZERO.test(cell) || cell.replace(/\D/g, '').length > DIGITS_MAX)
  if (!isNamed) {
    if (all(PLAIN_NUMBER)) return numberBy(PLAIN_NUMBER, (text) => text)
    if (all(POINT_NUMBER)) return numberBy(POINT_NUMBER, (text) => text.replaceAll(',', ''))
    if (all(COMMA_NUMBER)) return numberBy(COMMA_NUMBER, (text) => text.replace(/[.'\s\u00a0]/g, '').replace(',', '.'))
  }
  if (cells.every((cell) => TRUTH.has(cell.toLowerCase())))
    return (text) => TRUTH.get(text.trim().toLowerCase()) ?? plain(text)
  if (all(MOMENT)) return (text) => momentOf(text.trim())
  return all(NUMERIC_DAY) ? dayReader(cells) : plain
}

function numberBy(pattern: RegExp, tidy: (text: string) => string): ReadCell {
  return (text) => {
    const said = text.trim()
    const number = pattern.test(said) ? Number(tidy(said).replace(/[$€£¥%+\s]/g, '')) : Number.NaN
    return Number.isFinite(number) ? number : said
  }
}

function momentOf(text: string): string {
  if (DAY.test(text)) return text
  const told = MOMENT.test(text) ? text.replace(' ', 'T') : text
  const at = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(told) ? told : `${told}Z`)
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}

/** Which of two numbers is the day is told by one that can be no month. */
function dayReader(cells: readonly string[]): ReadCell {
  const parts = cells.map((cell) => NUMERIC_DAY.exec(cell)!)
  const isDayFirst = parts.some(([, one]) => Number(one) > MONTHS)
  const isMonthFirst = parts.some(([, , two]) => Number(two) > MONTHS)
  if (isDayFirst === isMonthFirst) return plain
  return (text) => {
    const [, one = '', two = '', year] = NUMERIC_DAY.exec(text.trim()) ?? []
    if (!year) return plain(text)
    const [day, month] = isDayFirst ? [one, two] : [two, one]
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  }
}

const MONTHS = 12

import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { decodeText } from '../decode-text.ts'
import { type DocumentFile, type DocumentItem, Refusal } from '../document.ts'
import { columnReaders, looksNumeric, plainCell } from './column-readers.ts'
import { HEADER_SCAN_ROWS, readTable } from './read-table.ts'
import { type SheetRow, stemOf } from './sheet.ts'
import { findHeader } from './table-header.ts'

const DELIMITERS = [',', ';', '\t', '|']
const SAMPLE_LINES = 20
/** Number of rows from which the column types are inferred before the first row is returned. */
const SAMPLE_ROWS = 1_000
const CHUNK_CHARS = 64 * 1024

/**
 * Reads delimited text, separated by commas, semicolons, tabs or vertical bars. The types of its columns are inferred.
 */
export async function* readCsv({ bytes, name }: DocumentFile): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format: 'csv', within: [] }
  const text = decodeText(bytes)
  yield* readTable({ name: stemOf(name), isNamed: false, rows: rowsOf(text) })
}

async function* rowsOf(text: string): AsyncGenerator<SheetRow> {
  const delimiter = delimiterOf(text)
  const lines = parse({ delimiter, relaxQuotes: true, relaxColumnCount: true, skipEmptyLines: true, bom: true })
  const iterator = (Readable.from(chunksOf(text)).pipe(lines) as AsyncIterable<string[]>)[Symbol.asyncIterator]()
  const sample: string[][] = []
  const next = async () => {
    try {
      return await iterator.next()
    } catch {
      throw new Refusal('file_damaged', 'A quoted cell in the table is not closed.')
    }
  }
  while (sample.length <= SAMPLE_ROWS) {
    const { done, value } = await next()
    if (done) break
    sample.push(value)
  }
  const headerIndex = lastHeaderLine(sample)
  const readers = columnReaders(sample.slice(headerIndex + 1), delimiter)
  let row = 0
  const toRow = (cells: readonly string[], isHeader: boolean): SheetRow => {
    row += 1
    const filled = cells.flatMap((cell, column) => {
      const read = isHeader ? plainCell(cell) : (readers[column] ?? plainCell)(cell)
      return read ? [[column, read] as const] : []
    })
    return { row, cells: new Map(filled) }
  }
  for (const [at, cells] of sample.entries()) yield toRow(cells, at <= headerIndex)
  for (let more = await next(); !more.done; more = await next()) yield toRow(more.value, false)
}

/** Returns the index of the last header line, or -1 for a table without a header. */
function lastHeaderLine(sample: readonly (readonly string[])[]): number {
  const rows = sample.map((cells, row) => {
    const filled = cells.flatMap((text, column) => {
      const cell = plainCell(text)
      // Numbers show that a row has values and is not a header. A year is an exception, because it can name a column.
      const isNumber = looksNumeric(text) && !/^(?:19|20)\d\d$/.test(text.trim())
      return cell ? [[column, isNumber ? { value: 0 } : cell] as const] : []
    })
    return { row, cells: new Map(filled) }
  })
  const first = rows.filter(({ cells }) => cells.size > 0).slice(0, HEADER_SCAN_ROWS)
  const header = findHeader(first)
  return header ? first[header.to]!.row : -1
}

function* chunksOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += CHUNK_CHARS) yield text.slice(at, at + CHUNK_CHARS)
}

/** Returns the delimiter that occurs equally often in most of the first lines. */
function delimiterOf(text: string): string {
  const lines = text.split('\n', SAMPLE_LINES).filter((line) => line.trim() !== '')
  const scored = DELIMITERS.map((sign) => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(sign).length - 1)
    const most = counts[0] ?? 0
    const equalCount = counts.filter((count) => count === most).length
    return { sign, score: most === 0 ? 0 : equalCount * 1_000 + most }
  })
  return scored.toSorted((one, other) => other.score - one.score)[0]!.sign
}

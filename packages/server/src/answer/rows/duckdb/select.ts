import { ROWS_SHOWN_MAX } from '@cairnstore/engine/tables'
import type { DuckDBConnection } from '@duckdb/node-api'

/** What a query gave, or why it was not run or gave nothing. */
export type Selected =
  | { columns: string[]; rows: (string | number | boolean | null)[][]; total: number; constants: string[] }
  | { refused: string }

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL)/
const CELL_CHARS_MAX = 500

/** What DuckDB's own parser reads in a text, so that what is checked is what is run. */
export async function parse(connection: DuckDBConnection, text: string): Promise<unknown> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql(CAST($1 AS VARCHAR))', [text])
  return JSON.parse(String(reader.getRowsJson()[0]?.[0]))
}

/** Runs a checked query, whose constants are told with its rows. Throws what the engine says. */
export async function select(connection: DuckDBConnection, text: string, constants: string[]): Promise<Selected> {
  const reader = await connection.runAndReadUntil(text, ROWS_SHOWN_MAX + 1)
  const found = reader.getRowsJson()
  const isNumeric = reader.columnTypes().map((type) => NUMERIC.test(String(type)))
  const rows = found
    .slice(0, ROWS_SHOWN_MAX)
    .map((row) => row.map((cell, at) => toScalar(cell, isNumeric[at] === true)))
  const total = found.length <= ROWS_SHOWN_MAX ? found.length : await count(connection, text)
  return { columns: reader.columnNames(), rows, total, constants }
}

async function count(connection: DuckDBConnection, text: string): Promise<number> {
  const inner = text.trim().replace(/;\s*$/, '')
  const reader = await connection.runAndReadAll(`SELECT count(*) FROM (\n${inner}\n)`)
  return Number(reader.getRowsJson()[0]?.[0])
}

function toScalar(cell: unknown, isNumeric: boolean): string | number | boolean | null {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'number' || typeof cell === 'boolean') return cell
  if (isNumeric) return Number(cell)
  const text = Array.isArray(cell)
    ? cell.map(String).join(', ')
    : typeof cell === 'string'
      ? cell
      : JSON.stringify(cell)
  return text.slice(0, CELL_CHARS_MAX)
}

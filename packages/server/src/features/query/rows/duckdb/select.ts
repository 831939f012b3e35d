import type { DuckDBConnection } from '@duckdb/node-api'
import { type ColumnKind, ROWS_SHOWN_MAX, type View } from '../plan.ts'
import { type Checked, checkSelect } from '../written/check-select.ts'

/** What a query gave, or why it was not run or gave nothing. */
export type Selected =
  | { columns: string[]; rows: (string | number | boolean | null)[][]; total: number; constants: string[] }
  | { refused: string }

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL)/
const CELL_CHARS_MAX = 500

/**
 * Runs a query over views that exist for its connection alone. DuckDB's own parser tells what the query reads, so that
 * what is checked is what is run.
 */
export async function select(
  connection: DuckDBConnection,
  views: readonly { view: View; table: string }[],
  text: string,
): Promise<Selected> {
  const checked = await check(connection, views, text)
  if ('refused' in checked) return checked
  for (const { view, table } of views) await connection.run(viewSql(view, table))
  try {
    const reader = await connection.runAndReadUntil(text, ROWS_SHOWN_MAX + 1)
    const found = reader.getRowsJson()
    const isNumeric = reader.columnTypes().map((type) => NUMERIC.test(String(type)))
    const rows = found
      .slice(0, ROWS_SHOWN_MAX)
      .map((row) => row.map((cell, at) => toScalar(cell, isNumeric[at] === true)))
    const isAll = found.length <= ROWS_SHOWN_MAX
    const total = isAll ? found.length : await count(connection, text)
    return { columns: reader.columnNames(), rows, total, constants: checked.constants }
  } catch {
    // What the engine says quotes the query and its values; the caller sees the query itself.
    return { refused: 'The query could not be computed over the rows, or not in time.' }
  }
}

async function check(connection: DuckDBConnection, views: readonly { view: View }[], text: string): Promise<Checked> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql(CAST($1 AS VARCHAR))', [text])
  const parsed: unknown = JSON.parse(String(reader.getRowsJson()[0]?.[0]))
  return checkSelect(parsed, new Set(views.map(({ view }) => view.type.toLowerCase())))
}

async function count(connection: DuckDBConnection, text: string): Promise<number> {
  const inner = text.trim().replace(/;\s*$/, '')
  const reader = await connection.runAndReadAll(`SELECT count(*) FROM (\n${inner}\n)`)
  return Number(reader.getRowsJson()[0]?.[0])
}

const SHOWN_AS: Record<ColumnKind, (column: string) => string> = {
  text: (column) => column,
  list: (column) => column,
  number: (column) => column,
  flag: (column) => column,
  time: (column) => `epoch_ms(${column})`,
}

function viewSql({ type, columns }: View, table: string): string {
  const shown = columns.map(({ name, kind }, at) => `${SHOWN_AS[kind](`c${at}`)} AS ${quoted(name)}`)
  return `CREATE TEMP VIEW ${quoted(type)} AS SELECT ${shown.join(', ')} FROM ${table}`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
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

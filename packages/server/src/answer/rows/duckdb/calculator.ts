import { type Cell, type ColumnKind, ROWS_SHOWN_MAX, type View } from '@cairnstore/engine/tables'
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBTimestampValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api'
import { createYieldPoint } from '../../../base/yield-point.ts'
import { checkSelect } from './check-select.ts'

/** Memory that the rows of one query and its computation may take; there is no disk to spill to. */
const MEMORY_LIMIT = '256MB'
/** One computation runs beside everything else that the process does. */
const THREADS = '1'
/** A computation over the rows of one sandbox takes milliseconds; one that takes longer is given up. */
const TIMEOUT_MS = 2_000
/** Computations at one time, so that their memory stays below 512 MB and threads are left for files. */
const AT_ONCE_MAX = 2
/** Further ones wait; the last of so many waits a few seconds at most. */
const WAITING_MAX = 16

const BUSY = 'The query was not run: too many are being computed. Ask again in a moment.'

/** DuckDB in memory, with no way to files, network or extensions: it computes over the rows that it is given. */
interface Calculator {
  /**
   * The rows of a query that somebody else wrote, over the given views under the names of their types and columns
   * alone; or why it was not run, also when it takes longer than 2 s or more than 256 MB. Every query has an engine of
   * its own, which holds the views that it reads and ends with it, so that no engine ever holds the rows of two scopes.
   */
  select(views: readonly View[], text: string): Promise<Selected>
}

/** A calculator without an engine: each query opens its own. */
export function createCalculator(): Calculator {
  const waiting: (() => void)[] = []
  let working = 0
  return {
    async select(views, text) {
      if (working >= AT_ONCE_MAX) {
        if (waiting.length >= WAITING_MAX) return { refused: BUSY }
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else {
        working += 1
      }
      try {
        return await selectAlone(views, text)
      } finally {
        // Whoever waits takes the place over, so that nobody comes between.
        const next = waiting.shift()
        if (next) next()
        else working -= 1
      }
    },
  }
}

async function selectAlone(views: readonly View[], text: string): Promise<Selected> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: THREADS,
    memory_limit: MEMORY_LIMIT,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    enable_external_access: 'false',
    lock_configuration: 'true',
  })
  try {
    const connection = await instance.connect()
    const checked = checkSelect(await parse(connection, text), new Set(views.map(({ type }) => type)))
    if ('refused' in checked) return checked
    for (const read of checked.reads) await loadView(connection, views.find(({ type }) => type === read)!)
    const timer = setTimeout(() => connection.interrupt(), TIMEOUT_MS)
    try {
      return await select(connection, text, checked.constants)
    } finally {
      clearTimeout(timer)
    }
  } catch {
    // What the engine says quotes the query and its values; the caller sees the query itself.
    return { refused: 'The query could not be computed over the rows, or not in time.' }
  } finally {
    instance.closeSync()
  }
}

/** Loading lets other work in after so long. */
const SLICE_MS = 5

const MICROSECONDS_OF_MS = 1_000n

const TYPES: Record<ColumnKind, string> = {
  text: 'VARCHAR',
  list: 'VARCHAR[]',
  number: 'DOUBLE',
  flag: 'BOOLEAN',
  time: 'TIMESTAMP',
}

/** Loads the rows of a view as a table named as its type, which comes before any table of the engine's own. */
async function loadView(connection: DuckDBConnection, { type, rows, columns }: View): Promise<void> {
  const typed = columns.map(({ name, kind }) => `${quoted(name)} ${TYPES[kind]}`)
  await connection.run(`CREATE TEMP TABLE ${quoted(type)} (${typed.join(', ')})`)
  const appender = await connection.createAppender(type, 'main', 'temp')
  const yieldPoint = createYieldPoint(SLICE_MS)
  for (let at = 0; at < rows.length; at += 1) {
    for (const { kind, cells } of columns) append(appender, kind, cells[at] ?? null)
    appender.endRow()
    await yieldPoint()
  }
  appender.closeSync()
}

function append(appender: DuckDBAppender, kind: ColumnKind, cell: Cell): void {
  if (cell === null) appender.appendNull()
  else if (kind === 'text') appender.appendVarchar(cell as string)
  else if (kind === 'number') appender.appendDouble(cell as number)
  else if (kind === 'flag') appender.appendBoolean(cell as boolean)
  else if (kind === 'time') {
    appender.appendTimestamp(new DuckDBTimestampValue(BigInt(cell as number) * MICROSECONDS_OF_MS))
  } else appender.appendList(listValue([...(cell as readonly string[])]), LIST(VARCHAR))
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** What a query gave, or why it was not run or gave nothing. */
export type Selected =
  | { columns: string[]; rows: (string | number | boolean | null)[][]; total: number; constants: string[] }
  | { refused: string }

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL)/
const CELL_CHARS_MAX = 500

/** What DuckDB's own parser reads in a text, so that what is checked is what is run. */
async function parse(connection: DuckDBConnection, text: string): Promise<unknown> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql(CAST($1 AS VARCHAR))', [text])
  return JSON.parse(String(reader.getRowsJson()[0]?.[0]))
}

/** Runs a checked query, whose constants are told with its rows. Throws what the engine says. */
async function select(connection: DuckDBConnection, text: string, constants: string[]): Promise<Selected> {
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

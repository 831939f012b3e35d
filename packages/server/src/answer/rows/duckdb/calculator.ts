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

/** Maximum memory for the rows and the computation of one query. DuckDB cannot use a disk. */
const MEMORY_LIMIT = '256MB'
/** Number of threads per query. The process has other work to do. */
const THREADS = '1'
/** Timeout of a query in milliseconds. Most queries take a few. */
const TIMEOUT_MS = 2_000
/** Maximum number of concurrent queries. It limits their memory to 512 MB and leaves threads for file access. */
const AT_ONCE_MAX = 2
/** Maximum number of waiting queries. The last one waits a few seconds at most. */
const WAITING_MAX = 16

const BUSY = 'The query was not run because too many queries are running. Ask again in a moment.'

/** In-memory DuckDB engine that cannot access files, the network or extensions. */
interface Calculator {
  /**
   * Runs an untrusted query over the given views. It sees them under the names of their types and columns. Returns a
   * reason if the query was rejected, took longer than 2 s or needed more than 256 MB. Each query gets an engine of its
   * own with only the views that it reads, so no engine contains the rows of two scopes.
   */
  select(views: readonly View[], text: string): Promise<Selected>
}

/** Creates a calculator. Each query opens its own engine. */
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
        // The slot is passed directly to the next waiting query, so a new query cannot overtake it.
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
    // The engine's message is not returned, because it quotes the query and its values.
    return { refused: 'The query failed or timed out.' }
  } finally {
    instance.closeSync()
  }
}

/** Milliseconds of loading before yielding to other work. */
const SLICE_MS = 5

const MICROSECONDS_OF_MS = 1_000n

const TYPES: Record<ColumnKind, string> = {
  text: 'VARCHAR',
  list: 'VARCHAR[]',
  number: 'DOUBLE',
  flag: 'BOOLEAN',
  time: 'TIMESTAMP',
}

/** Loads a view into a table with the name of its type. It hides any table of the engine with this name. */
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

/** Result of a query, or the reason why there is none. */
export type Selected =
  | { columns: string[]; rows: (string | number | boolean | null)[][]; total: number; constants: string[] }
  | { refused: string }

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL)/
const CELL_CHARS_MAX = 500

/** Parses a query with DuckDB's own parser, so that the checked query is the one that runs. */
async function parse(connection: DuckDBConnection, text: string): Promise<unknown> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql(CAST($1 AS VARCHAR))', [text])
  return JSON.parse(String(reader.getRowsJson()[0]?.[0]))
}

/** Runs a checked query and returns its rows with its constants. Throws the engine's errors. */
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

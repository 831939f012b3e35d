import { type DuckDBAppender, type DuckDBConnection, DuckDBInstance, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import type { Cell, ColumnKind, View } from '../plan.ts'
import { type Selected, select } from './select.ts'

/** Memory that all tables and one computation may take; there is no disk to spill to. */
const MEMORY_LIMIT = '512MB'
/** One computation runs beside everything else that the process does. */
const THREADS = 1
/** A computation over the rows of one sandbox takes milliseconds; one that takes longer is given up. */
const TIMEOUT_MS = 2_000
/** Loading lets other work in after so many rows. */
const ROWS_BETWEEN_BREATHS = 2_000

/** Where the tables are. */
const SCHEMA = 'held'

const TYPES: Record<ColumnKind, string> = {
  text: 'VARCHAR',
  list: 'VARCHAR[]',
  number: 'DOUBLE',
  flag: 'BOOLEAN',
  time: 'BIGINT',
}

/** DuckDB in memory, with no way to files, network or extensions: it computes over the rows that it is given. */
export interface Calculator {
  /** Loads the rows of a view as a table and returns the table's name. */
  load(view: View): Promise<string>
  drop(table: string): Promise<void>
  /**
   * The rows of a query that somebody else wrote, over loaded views under the names of their types and columns alone;
   * or why it was not run, also when it takes longer than 2 s or more than 512 MB.
   */
  select(views: readonly { view: View; table: string }[], text: string): Promise<Selected>
  close(): void
}

/** Opens an empty calculator. */
export async function openCalculator(): Promise<Calculator> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(THREADS), memory_limit: MEMORY_LIMIT })
  await using(instance, async (connection) => {
    // No name without its schema leads into it, so that a query that somebody else wrote cannot name its tables.
    await connection.run(`CREATE SCHEMA ${SCHEMA}`)
    for (const setting of [
      "temp_directory = ''",
      'autoinstall_known_extensions = false',
      'autoload_known_extensions = false',
      'enable_external_access = false',
      'lock_configuration = true',
    ]) {
      await connection.run(`SET ${setting}`)
    }
  })
  let tables = 0
  return {
    load: (view) =>
      using(instance, async (connection) => {
        tables += 1
        const name = `t${tables}`
        const columns = view.columns.map(({ kind }, at) => `c${at} ${TYPES[kind]}`)
        await connection.run(`CREATE TABLE ${SCHEMA}.${name} (r INTEGER, ${columns.join(', ')})`)
        await fill(connection, name, view)
        return `${SCHEMA}.${name}`
      }),
    drop: (table) => using(instance, async (connection) => void (await connection.run(`DROP TABLE ${table}`))),
    select: (views, text) => inTime(instance, (connection) => select(connection, views, text)),
    close: () => instance.closeSync(),
  }
}

async function using<T>(instance: DuckDBInstance, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const connection = await instance.connect()
  try {
    return await work(connection)
  } finally {
    connection.closeSync()
  }
}

async function inTime<T>(instance: DuckDBInstance, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  return using(instance, async (connection) => {
    const timer = setTimeout(() => connection.interrupt(), TIMEOUT_MS)
    try {
      return await work(connection)
    } finally {
      clearTimeout(timer)
    }
  })
}

async function fill(connection: DuckDBConnection, table: string, { rows, columns }: View): Promise<void> {
  const appender = await connection.createAppender(table, SCHEMA)
  for (let at = 0; at < rows.length; at += 1) {
    appender.appendInteger(at)
    for (const { kind, cells } of columns) append(appender, kind, cells[at] ?? null)
    appender.endRow()
    if (at % ROWS_BETWEEN_BREATHS === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  appender.closeSync()
}

function append(appender: DuckDBAppender, kind: ColumnKind, cell: Cell): void {
  if (cell === null) appender.appendNull()
  else if (kind === 'text') appender.appendVarchar(cell as string)
  else if (kind === 'number') appender.appendDouble(cell as number)
  else if (kind === 'flag') appender.appendBoolean(cell as boolean)
  else if (kind === 'time') appender.appendBigInt(BigInt(cell as number))
  else appender.appendList(listValue([...(cell as readonly string[])]), LIST(VARCHAR))
}

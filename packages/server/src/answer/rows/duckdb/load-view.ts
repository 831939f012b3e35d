import type { Cell, ColumnKind, View } from '@cairnstore/engine/tables'
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBTimestampValue,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api'
import { createYieldPoint } from '../../../base/yield-point.ts'

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
export async function loadView(connection: DuckDBConnection, { type, rows, columns }: View): Promise<void> {
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

import { withCapacity } from '@cairnstore/engine/rank'
import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable, RecordBatch } from 'apache-arrow'
import { createIdNumbers } from '../id-numbers.ts'
import { readWindows } from '../read-windows.ts'
import * as decode from './decode.ts'

/** The columns that decide which rows are current: the newest row of each id, if it is live. */
export interface RowLog {
  readonly rows: Float64Array
  readonly seqs: Float64Array
  readonly live: Uint8Array
  /** 1 for the newest row of its id. */
  readonly newest: Uint8Array
  /** Fragment of the row, and the commit or compaction that placed it. Only with the `layout` option. */
  readonly fragments: Uint32Array
  readonly placed: Float64Array
  /** Number of rows in the fragments, including deleted ones. Only with the `layout` option. */
  readonly physicalRows: number
}

const LOG_COLUMNS = ['id', 'seq', 'live']
/** Bits of a row address below its fragment number. */
const FRAGMENT_SHIFT = 32n
/** Mask of the row's offset within its fragment. */
const OFFSET_MASK = 2n ** FRAGMENT_SHIFT - 1n

interface RowLogOptions {
  /** Also reads the location of each row. */
  readonly layout?: boolean
  /** Called between batches of rows. */
  readonly yieldIfDue?: (() => Promise<void> | undefined) | undefined
}

/** Reads the log of a table for the rows placed after `since`. */
export async function readLog(
  table: Table,
  since: number,
  { layout = false, yieldIfDue }: RowLogOptions = {},
): Promise<RowLog> {
  const builder = createLogBuilder(layout)
  const columns = layout ? [...LOG_COLUMNS, 'placed', '_rowaddr'] : LOG_COLUMNS
  for await (const batch of queryRows(table, columns, whereAfter(since))) {
    builder.add(batch)
    await yieldIfDue?.()
  }
  return builder.log()
}

/** Returns the log of batches that were already read with row numbers. */
export function toRowLog(batches: readonly RecordBatch[]): RowLog {
  const builder = createLogBuilder(false)
  for (const batch of batches) builder.add(batch)
  return builder.log()
}

/** Builds a log. It may have millions of rows, so it uses typed arrays and creates no strings for ids. */
function createLogBuilder(layout: boolean) {
  const ids = createIdNumbers()
  let count = 0
  let rows = new Float64Array(0)
  let seqs = new Float64Array(0)
  let live = new Uint8Array(0)
  let newest = new Uint8Array(0)
  let fragments = new Uint32Array(0)
  let placed = new Float64Array(0)
  const rowsOfFragment = new Map<number, number>()
  /** Position of the newest row plus 1, by id number. */
  let newestOf = new Uint32Array(0)

  const addLayout = (batch: RecordBatch): void => {
    fragments = withCapacity(fragments, count + batch.numRows)
    placed = withCapacity(placed, count + batch.numRows)
    placed.set(decode.numbers(batch, 'placed'), count)
    const addresses = decode.bigs(batch, '_rowaddr')
    for (let i = 0; i < batch.numRows; i++) {
      const fragment = Number(addresses[i]! >> FRAGMENT_SHIFT)
      fragments[count + i] = fragment
      const rowsSoFar = Number(addresses[i]! & OFFSET_MASK) + 1
      if (rowsSoFar > (rowsOfFragment.get(fragment) ?? 0)) rowsOfFragment.set(fragment, rowsSoFar)
    }
  }

  const addNewest = (number: number, at: number): void => {
    newestOf = withCapacity(newestOf, number + 1)
    const other = newestOf[number]! - 1
    if (other >= 0 && seqs[at]! <= seqs[other]!) return
    if (other >= 0) newest[other] = 0
    newest[at] = 1
    newestOf[number] = at + 1
  }

  return {
    add(batch: RecordBatch): void {
      const end = count + batch.numRows
      rows = withCapacity(rows, end)
      seqs = withCapacity(seqs, end)
      live = withCapacity(live, end)
      newest = withCapacity(newest, end)
      rows.set(decode.rowNumbers(batch), count)
      seqs.set(decode.numbers(batch, 'seq'), count)
      live.set(decode.flags(batch, 'live'), count)
      if (layout) addLayout(batch)
      const { bytes, ends } = decode.textBytes(batch, 'id')
      for (let i = 0; i < batch.numRows; i++) addNewest(ids.numberOf(bytes, ends[i]!, ends[i + 1]!), count + i)
      count = end
    },
    log: (): RowLog => ({
      rows: rows.subarray(0, count),
      seqs: seqs.subarray(0, count),
      live: live.subarray(0, count),
      newest: newest.subarray(0, count),
      fragments: fragments.subarray(0, layout ? count : 0),
      placed: placed.subarray(0, layout ? count : 0),
      physicalRows: [...rowsOfFragment.values()].reduce((sum, each) => sum + each, 0),
    }),
  }
}

/** Returns the numbers of rows that are not current: superseded ones and, unless tombstones are kept, tombstones. */
export function staleRows(log: RowLog, { keepTombstones }: { keepTombstones: boolean }): Set<number> {
  const stale = new Set<number>()
  for (let i = 0; i < log.rows.length; i++) {
    if (!log.newest[i] || !(keepTombstones || log.live[i])) stale.add(log.rows[i]!)
  }
  return stale
}

/** Returns the filter for rows placed after `since`. Undefined for all rows. */
export function whereAfter(since: number): string | undefined {
  return since > 0 ? `placed > ${since}` : undefined
}

/** Returns the numbers of the current rows, in storage order. */
export function liveRows(log: RowLog): number[] {
  return Array.from(log.rows.filter((_, i) => log.newest[i] && log.live[i]))
}

/** Streams batches of the columns with row numbers. */
export function queryRows(
  table: Table,
  columns: readonly string[],
  where: string | undefined,
): AsyncIterable<RecordBatch> {
  const query = table.query().select([...columns])
  if (where !== undefined) query.where(where)
  return query.withRowId()
}

/** Streams batches of the rows with these numbers. Missing rows are left out. */
export function takeRows(
  table: Table,
  rows: readonly number[],
  columns: readonly string[],
): AsyncIterable<RecordBatch> {
  return table
    .takeRowIds(rows)
    .select([...columns])
    .withRowId()
}

/** Streams the rows with these numbers like `takeRows`, in several reads of bounded size. */
export function takeInWindows(
  table: Table,
  rows: readonly number[],
  columns: readonly string[],
  rowsMax?: number,
): AsyncGenerator<RecordBatch[]> {
  const read = async (part: readonly number[]) => {
    const result: RecordBatch[] = []
    for await (const batch of takeRows(table, part, columns)) result.push(batch)
    return { result, bytes: bytesOf(result) }
  }
  return readWindows(rows, read, rowsMax)
}

/** Maximum number of rows and of bytes per chunk. A table is written with a whole chunk in memory. */
export const CHUNK_ROWS_MAX = 8_000
const CHUNK_BYTES_MAX = 16 * 1024 * 1024

/** Streams the rows with these numbers in chunks to be written again. `selection` has an expression for each column. */
export async function* takeChunks(
  table: Table,
  rows: readonly number[],
  selection: Map<string, string>,
): AsyncGenerator<ArrowTable> {
  const read = async (part: readonly number[]) => {
    const result = await table.takeRowIds(part).select(selection).toArrow()
    return { result, bytes: bytesOf(result.batches) }
  }
  let chunk: ArrowTable | undefined
  for await (const part of readWindows(rows, read)) {
    chunk = chunk ? chunk.concat(part) : part
    if (chunk.numRows < CHUNK_ROWS_MAX && bytesOf(chunk.batches) < CHUNK_BYTES_MAX) continue
    yield chunk
    chunk = undefined
  }
  if (chunk) yield chunk
}

function bytesOf(batches: readonly RecordBatch[]): number {
  return batches.reduce((sum, { data }) => sum + data.byteLength, 0)
}

import { withRoom } from '@cairnstore/engine/rank'
import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import { createIdNumbers } from '../id-numbers.ts'
import * as decode from './decode.ts'

/** What is needed of every row to tell which rows count: the newest of its id counts, if it is live. */
export interface Log {
  readonly rows: Float64Array
  readonly seqs: Float64Array
  readonly live: Uint8Array
  /** 1 where the row is the newest of its id. */
  readonly newest: Uint8Array
  /** The fragment in which the row lies, and the commit or upkeep that put it there; only when asked for. */
  readonly fragments: Uint32Array
  readonly placed: Float64Array
  /** Rows that lie in the fragments, also those that were deleted before it was read; only when asked for. */
  readonly physicalRows: number
}

const LOG_COLUMNS = ['id', 'seq', 'live']
/** Row addresses hold the fragment above these bits. */
const FRAGMENT_SHIFT = 32n
/** ... and below them where in the fragment the row lies. */
const OFFSET_MASK = 2n ** FRAGMENT_SHIFT - 1n

/** What a log is read with. */
interface LogOptions {
  /** Also where each row lies. */
  readonly layout?: boolean
  /** Called between batches of rows. */
  readonly breathe?: (() => Promise<void> | undefined) | undefined
}

/** Reads the log of a table, of the rows placed after `since`. */
export async function readLog(table: Table, since: number, { layout = false, breathe }: LogOptions = {}): Promise<Log> {
  const builder = createLogBuilder(layout)
  const columns = layout ? [...LOG_COLUMNS, 'placed', '_rowaddr'] : LOG_COLUMNS
  for await (const batch of queryRows(table, columns, whereAfter(since))) {
    builder.add(batch)
    await breathe?.()
  }
  return builder.log()
}

/** The log of rows that were read already, with row numbers. */
export function logOf(batches: readonly RecordBatch[]): Log {
  const builder = createLogBuilder(false)
  for (const batch of batches) builder.add(batch)
  return builder.log()
}

/** A log may be of millions of rows: all of it is in typed arrays, and no id becomes a string. */
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
  /** By the number of an id, where its newest row stands + 1. */
  let newestOf = new Uint32Array(0)

  const addLayout = (batch: RecordBatch): void => {
    fragments = withRoom(fragments, count + batch.numRows)
    placed = withRoom(placed, count + batch.numRows)
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
    newestOf = withRoom(newestOf, number + 1)
    const other = newestOf[number]! - 1
    if (other >= 0 && seqs[at]! <= seqs[other]!) return
    if (other >= 0) newest[other] = 0
    newest[at] = 1
    newestOf[number] = at + 1
  }

  return {
    add(batch: RecordBatch): void {
      const reach = count + batch.numRows
      rows = withRoom(rows, reach)
      seqs = withRoom(seqs, reach)
      live = withRoom(live, reach)
      newest = withRoom(newest, reach)
      rows.set(decode.rowNumbers(batch), count)
      seqs.set(decode.numbers(batch, 'seq'), count)
      live.set(decode.flags(batch, 'live'), count)
      if (layout) addLayout(batch)
      const { bytes, ends } = decode.textBytes(batch, 'id')
      for (let i = 0; i < batch.numRows; i++) addNewest(ids.numberOf(bytes, ends[i]!, ends[i + 1]!), count + i)
      count = reach
    },
    log: (): Log => ({
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

/** Numbers of the rows that do not count: not the newest of their id or, unless tombstones are kept, not live. */
export function staleRows(log: Log, { keepTombstones }: { keepTombstones: boolean }): Set<number> {
  const stale = new Set<number>()
  for (let i = 0; i < log.rows.length; i++) {
    if (!log.newest[i] || !(keepTombstones || log.live[i])) stale.add(log.rows[i]!)
  }
  return stale
}

/** The condition for rows that came or moved after `since`; none for all rows. */
export function whereAfter(since: number): string | undefined {
  return since > 0 ? `placed > ${since}` : undefined
}

/** Numbers of the rows that count, in the order in which they lie. */
export function liveRows(log: Log): number[] {
  return Array.from(log.rows.filter((_, i) => log.newest[i] && log.live[i]))
}

/** Streams batches of the columns and the row numbers. */
export function queryRows(
  table: Table,
  columns: readonly string[],
  where: string | undefined,
): AsyncIterable<RecordBatch> {
  const query = table.query().select([...columns])
  if (where !== undefined) query.where(where)
  return query.withRowId()
}

/** The same for the rows under these numbers; those that are not stored are left out. */
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

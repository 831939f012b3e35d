import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import * as decode from './decode.ts'

/** What is needed of every row to tell which rows count: the newest of its id counts, if it is live. */
export interface Log {
  readonly rows: number[]
  readonly seqs: number[]
  readonly live: number[]
  /** 1 where the row is the newest of its id. */
  readonly newest: number[]
  /** The fragment in which the row lies, and the commit or upkeep that put it there; only when asked for. */
  readonly fragments: number[]
  readonly placed: number[]
}

const LOG_COLUMNS = ['id', 'seq', 'live']
/** Row addresses hold the fragment above these bits. */
const FRAGMENT_SHIFT = 32n

/** Reads the log of a table, of the rows placed after `since`; with `layout` also where each row lies. */
export async function readLog(table: Table, since: number, { layout = false } = {}): Promise<Log> {
  const builder = createLogBuilder()
  const columns = layout ? [...LOG_COLUMNS, 'placed', '_rowaddr'] : LOG_COLUMNS
  for await (const batch of queryRows(table, columns, whereAfter(since))) {
    builder.add(batch)
    if (!layout) continue
    for (const address of decode.bigs(batch, '_rowaddr')) builder.log.fragments.push(Number(address >> FRAGMENT_SHIFT))
    for (const placed of decode.numbers(batch, 'placed')) builder.log.placed.push(placed)
  }
  return builder.log
}

/** The log of rows that were read already, with row numbers. */
export function logOf(batches: readonly RecordBatch[]): Log {
  const builder = createLogBuilder()
  for (const batch of batches) builder.add(batch)
  return builder.log
}

function createLogBuilder() {
  const log: Log = { rows: [], seqs: [], live: [], newest: [], fragments: [], placed: [] }
  const newestOf = new Map<string, number>()
  const add = (batch: RecordBatch): void => {
    const ids = decode.texts(batch, 'id')
    const rows = decode.rowNumbers(batch)
    const seqs = decode.numbers(batch, 'seq')
    const live = decode.flags(batch, 'live')
    for (let i = 0; i < ids.length; i++) {
      const at = log.rows.length
      log.rows.push(rows[i]!)
      log.seqs.push(seqs[i]!)
      log.live.push(live[i]!)
      const other = newestOf.get(ids[i]!)
      const isNewest = other === undefined || seqs[i]! > log.seqs[other]!
      log.newest.push(isNewest ? 1 : 0)
      if (!isNewest) continue
      if (other !== undefined) log.newest[other] = 0
      newestOf.set(ids[i]!, at)
    }
  }
  return { log, add }
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
  return log.rows.filter((_, i) => log.newest[i] && log.live[i])
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

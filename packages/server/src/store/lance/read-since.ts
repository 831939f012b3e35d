import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import type { Head } from '../../db/head.ts'
import type { GraphColumns as Columns } from '../port.ts'
import { upTo } from './decode.ts'
import { withRowNumbers } from './encode.ts'
import { datasetAt, type StoreParts } from './reader.ts'
import { queryRows, type RowLog, readLog, staleRows, takeRows, toRowLog, whereAfter } from './row-log.ts'
import { datasetKey } from './sandbox-folder.ts'
import {
  GRAPH_COLUMNS,
  MOVED_COLUMNS,
  toEntityColumns,
  toMovedColumns,
  toRecordColumns,
  toVectorColumns,
} from './shapes.ts'

type GraphKind = keyof typeof GRAPH_COLUMNS

const READERS = { records: toRecordColumns, entities: toEntityColumns, vectors: toVectorColumns } as const
/** Records come before vectors, because vectors are added only to a known version of their record. */
const ORDER = ['entities', 'records', 'vectors'] as const

/** Maximum number of rows that a catch-up reads by number. A larger one scans. */
const ROWS_PER_TAKE = 8_000

/** Yields the newest row of each id after commit `since`. Omits tombstones if it is 0. */
export async function* readSince(
  parts: StoreParts,
  head: Head,
  since: number,
  includesVectors: boolean,
): AsyncGenerator<Columns> {
  for (const kind of ORDER) {
    const { place, version } = datasetAt(parts.folder, head, kind)
    if (version === 0 || (kind === 'vectors' && !includesVectors)) continue
    const key = datasetKey(place)
    const packed = head[`${kind}Version`]
    const tail = parts.tails.rowsSince(key, since, packed)
    if (tail?.appended) {
      yield* cachedTail(kind, since, tail.appended, tail.nextRow)
      parts.tails.setTip(key, { version: packed, seq: head.seq, nextRow: tail.nextRow + tail.count, isExact: true })
      continue
    }
    let isExact = false
    const nextRow = yield* parts.tables.stream<Columns, number>(place, version, async function* (table) {
      const known = tail && tail.count <= ROWS_PER_TAKE ? await takeTail(table, kind, since, tail) : undefined
      if (!known) return yield* scan(table, kind, since)
      yield* known
      isExact = tail!.isWhole && tail!.count > 0
      return tail!.nextRow + tail!.count
    })
    parts.tails.setTip(key, { version: packed, seq: head.seq, nextRow, isExact })
  }
}

/** Returns rows that this process appended, from memory. They equal the stored ones. */
function cachedTail(kind: GraphKind, since: number, appended: readonly RecordBatch[], nextRow: number): Columns[] {
  let first = nextRow
  const batches = appended.map((batch) => {
    const numbered = withRowNumbers(batch, first)
    first += batch.numRows
    return numbered
  })
  return toColumns(kind, batches, since, staleRows(toRowLog(batches), { keepTombstones: true }))
}

/** Reads the expected tail by row number. Returns undefined if the guessed numbers were wrong. */
async function takeTail(
  table: Table,
  kind: GraphKind,
  since: number,
  { nextRow, count }: { nextRow: number; count: number },
): Promise<Columns[] | undefined> {
  if (count === 0) return []
  const rows = Array.from({ length: count }, (_, i) => nextRow + i)
  const batches = await collect(takeRows(table, rows, GRAPH_COLUMNS[kind]))
  const log = toRowLog(batches)
  if (log.rows.length !== count || batches.some((batch) => upTo(batch, 'placed', since).includes(1))) return undefined
  return toColumns(kind, batches, since, staleRows(log, { keepTombstones: true }))
}

/** Yields the rows after `since`. Returns the row number after the last one. */
async function* scan(table: Table, kind: GraphKind, since: number): AsyncGenerator<Columns, number> {
  if ((await table.countRows()) <= ROWS_PER_TAKE) return yield* scanSmall(table, kind, since)
  const log = await readLog(table, since)
  const stale = staleRows(log, { keepTombstones: since > 0 })
  const names = GRAPH_COLUMNS[kind]
  if (since === 0) yield* read(kind, queryRows(table, names, undefined), since, stale)
  else if (log.rows.length <= ROWS_PER_TAKE)
    yield* read(kind, takeRows(table, Array.from(log.rows), names), since, stale)
  else yield* scanChanged(table, kind, since, stale)
  return lastRow(log) + 1
}

/** Reads very many rows after `since`. Most have only new numbers from a compaction, so only these are read. */
async function* scanChanged(
  table: Table,
  kind: GraphKind,
  since: number,
  stale: ReadonlySet<number>,
): AsyncGenerator<Columns> {
  const names = GRAPH_COLUMNS[kind]
  // Vectors belong to a version of their record, which can change while the vector row does not.
  if (kind === 'vectors') return yield* read(kind, queryRows(table, names, whereAfter(since)), since, stale)
  yield* read(kind, queryRows(table, names, `seq > ${since}`), since, stale)
  for await (const batch of queryRows(table, MOVED_COLUMNS, `seq <= ${since} AND ${whereAfter(since)}`)) {
    const moved = toMovedColumns(kind, batch)
    yield stale.size === 0 ? moved : withoutRows(moved, stale)
  }
}

async function* read(
  kind: GraphKind,
  batches: AsyncIterable<RecordBatch>,
  since: number,
  stale: ReadonlySet<number>,
): AsyncGenerator<Columns> {
  for await (const batch of batches) yield* toColumns(kind, [batch], since, stale)
}

/** Scans a table that is small enough for memory, with one query instead of two. */
async function* scanSmall(table: Table, kind: GraphKind, since: number): AsyncGenerator<Columns, number> {
  const batches = await collect(queryRows(table, GRAPH_COLUMNS[kind], whereAfter(since)))
  const log = toRowLog(batches)
  yield* toColumns(kind, batches, since, staleRows(log, { keepTombstones: since > 0 }))
  return lastRow(log) + 1
}

function lastRow(log: RowLog): number {
  return log.rows.reduce((last, row) => Math.max(last, row), -1)
}

function toColumns(
  kind: GraphKind,
  batches: readonly RecordBatch[],
  since: number,
  stale: ReadonlySet<number>,
): Columns[] {
  return batches
    .map((batch): Columns => READERS[kind](batch, since))
    .map((columns) => (stale.size === 0 ? columns : withoutRows(columns, stale)))
    .filter((columns) => columns.count > 0)
}

function withoutRows(columns: Columns, stale: ReadonlySet<number>): Columns {
  const keep = Array.from(columns.rows, (row) => !stale.has(row))
  const filtered = Object.entries(columns).map(([name, values]: [string, unknown]) => {
    const isColumn = Array.isArray(values) || values instanceof Float64Array || values instanceof Uint8Array
    return [name, isColumn ? (values as unknown[]).filter((_, i) => keep[i]) : values]
  })
  return { ...Object.fromEntries(filtered), count: keep.filter(Boolean).length } as Columns
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

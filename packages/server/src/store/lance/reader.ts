import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import type { Head } from '../../db/head.ts'
import type { DiskCache } from '../disk-cache.ts'
import type { Kind } from '../port.ts'
import type { OpenTables } from './open-tables.ts'
import { liveRows, queryRows, readLog, takeInWindows, takeRows } from './row-log.ts'
import { type DatasetRef, type SandboxFolder, unpackDatasetState } from './sandbox-folder.ts'
import { COLUMNS } from './shapes.ts'
import type { Tails } from './tails.ts'
import type { Writers } from './writers.ts'

/** The dependencies of store operations. */
export interface StoreParts {
  readonly folder: SandboxFolder
  readonly tables: OpenTables
  readonly writers: Writers
  readonly tails: Tails
  /** Local disk cache of objects. Undefined disables it. */
  readonly cache?: DiskCache | undefined
}

/** Returns the location and version of a dataset at the head. */
export function datasetAt(folder: SandboxFolder, head: Head, kind: Kind): { place: DatasetRef; version: number } {
  const { generation, version } = unpackDatasetState(head[`${kind}Version`])
  return { place: { folder, kind, generation }, version }
}

/** Ids per condition. With more, the query text costs more than a second query. */
const IDS_PER_QUERY = 500

type Decode<Row> = (batch: RecordBatch) => Row[]

/** Returns functions that read rows of one dataset at a head. */
export function createReader({ folder, tables }: StoreParts, kind: Kind) {
  const at = (head: Head) => datasetAt(folder, head, kind)
  return {
    async take<Row>(head: Head, rows: readonly number[], decodeBatch: Decode<Row>, columns: readonly string[]) {
      const { place, version } = at(head)
      const found: Row[] = []
      if (version === 0 || rows.length === 0) return found
      await tables.read(place, version, async (table) => {
        for await (const batch of takeRows(table, rows, columns)) found.push(...decodeBatch(batch))
      })
      return found
    },

    async where<Row>(
      head: Head,
      names: readonly string[],
      values: readonly string[],
      decodeBatch: Decode<Row>,
      columns: readonly string[],
    ) {
      const { place, version } = at(head)
      const found: Row[] = []
      if (version === 0) return found
      await tables.read(place, version, async (table) => {
        for (let start = 0; start < values.length; start += IDS_PER_QUERY) {
          const list = values
            .slice(start, start + IDS_PER_QUERY)
            .map(quote)
            .join(',')
          const condition = names.map((name) => `${name} IN (${list})`).join(' OR ')
          for await (const batch of queryRows(table, columns, condition)) found.push(...decodeBatch(batch))
        }
      })
      return found
    },

    /** Returns the number of rows of the dataset at the head. */
    async count(head: Head): Promise<number> {
      const { place, version } = at(head)
      return version === 0 ? 0 : tables.read(place, version, (table) => table.countRows())
    },

    async *scan<Row>(head: Head, batchRows: number, decodeBatch: Decode<Row>): AsyncGenerator<Row[]> {
      const { place, version } = at(head)
      if (version === 0) return
      yield* tables.stream(place, version, (table) => scanTable(table, kind, batchRows, decodeBatch))
    },
  }
}

async function* scanTable<Row>(
  table: Table,
  kind: Kind,
  batchRows: number,
  decodeBatch: Decode<Row>,
): AsyncGenerator<Row[]> {
  const rows = liveRows(await readLog(table, 0))
  // Rows are read by number, because a scan does not limit the size of its batches.
  for await (const parts of takeInWindows(table, rows, COLUMNS[kind], batchRows)) yield parts.flatMap(decodeBatch)
}

/** Quotes an id for a filter. Some ids come from callers, so embedded quotes are escaped. */
function quote(id: string): string {
  return `'${id.replaceAll("'", "''")}'`
}

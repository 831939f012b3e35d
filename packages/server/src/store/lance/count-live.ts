import type { Table } from '@lancedb/lancedb'
import type { RecordBatch } from 'apache-arrow'
import type { Head } from '../../db/head.ts'
import type { Kind, KnowledgeCounts } from '../port.ts'
import * as decode from './decode.ts'
import { datasetAt, type StoreParts } from './reader.ts'
import { queryRows } from './row-log.ts'

/** Counts the live records, entities and links at the head. Merged entities count once. Reads no content. */
export async function countLive(parts: StoreParts, head: Head): Promise<KnowledgeCounts> {
  const count = async (kind: Kind, columns: readonly string[], counts: (batch: RecordBatch) => RowPredicate) => {
    let found = 0
    for (const is of (await newestRows(parts, head, kind, columns, counts)).values()) if (is) found += 1
    return found
  }
  return {
    records: await count('records', [], isLive),
    entities: await count('entities', ['merged_into'], (batch) => {
      const mergedInto = decode.optionalTexts(batch, 'merged_into')
      const live = decode.flags(batch, 'live')
      return (i) => live[i] === 1 && mergedInto[i] === null
    }),
    links: await count('links', [], isLive),
  }
}

/** Returns the ids of a source's live records whose newest version was committed up to `seq`. */
export async function recordIdsOf(parts: StoreParts, head: Head, sourceId: string, seq: number): Promise<string[]> {
  const rows = await newestRows(parts, head, 'records', ['source_id'], (batch) => {
    const sourceIds = decode.optionalTexts(batch, 'source_id')
    const seqs = decode.numbers(batch, 'seq')
    const live = decode.flags(batch, 'live')
    return (i) => live[i] === 1 && sourceIds[i] === sourceId && seqs[i]! <= seq
  })
  return [...rows].flatMap(([id, isOfSource]) => (isOfSource ? [id] : []))
}

type RowPredicate = (row: number) => boolean

function isLive(batch: RecordBatch): RowPredicate {
  const live = decode.flags(batch, 'live')
  return (i) => live[i] === 1
}

/** Returns the seq of the newest version of each live record. */
async function liveRecordSeqs(parts: StoreParts, head: Head): Promise<Map<string, number>> {
  const rows = await newestRows(parts, head, 'records', [], (batch) => {
    const live = decode.flags(batch, 'live')
    const seqs = decode.numbers(batch, 'seq')
    return (i) => (live[i] === 1 ? seqs[i]! : NOT_LIVE)
  })
  for (const [id, seq] of rows) if (seq === NOT_LIVE) rows.delete(id)
  return rows
}

const NOT_LIVE = -1

/** Returns one value per id, computed from its newest row. */
async function newestRows<T>(
  { folder, tables }: StoreParts,
  head: Head,
  kind: Kind,
  columns: readonly string[],
  readValue: (batch: RecordBatch) => (row: number) => T,
): Promise<Map<string, T>> {
  const { place, version } = datasetAt(folder, head, kind)
  const values = new Map<string, T>()
  if (version === 0) return values
  const seqOf = new Map<string, number>()
  await tables.read(place, version, async (table: Table) => {
    for await (const batch of table.query().select(['id', 'seq', 'live', ...columns])) {
      const ids = decode.texts(batch, 'id')
      const seqs = decode.numbers(batch, 'seq')
      const valueAt = readValue(batch)
      for (let i = 0; i < ids.length; i++) {
        const other = seqOf.get(ids[i]!)
        if (other !== undefined && other >= seqs[i]!) continue
        seqOf.set(ids[i]!, seqs[i]!)
        values.set(ids[i]!, valueAt(i))
      }
    }
  })
  return values
}

/** Returns the row numbers of vectors whose record version is no longer the current one. */
export async function supersededRows(parts: StoreParts, head: Head, vectors: Table): Promise<Set<number>> {
  const seqOf = await liveRecordSeqs(parts, head)
  const superseded = new Set<number>()
  for await (const batch of queryRows(vectors, ['id', 'record_seq'], undefined)) {
    const rows = decode.rowNumbers(batch)
    const recordSeqs = decode.numbers(batch, 'record_seq')
    for (const [i, id] of decode.texts(batch, 'id').entries()) {
      if (seqOf.get(id) !== recordSeqs[i]) superseded.add(rows[i]!)
    }
  }
  return superseded
}

import { codesOf, type RecordGraph } from '@cairnstore/engine/rank'
import type { Head } from '../db/head.ts'
import type { EncryptedTieBreakers } from './encrypted-tie-breakers.ts'
import type {
  EntityColumns,
  GraphColumns,
  MovedColumns,
  RecordColumns,
  SandboxStore,
  StorageRoot,
  VectorColumns,
} from './port.ts'
import type { ThreadedGraph } from './ranking/threaded-graph.ts'
import { type EntityRowTable, putEntityRow, putRow, type RowTable, rowOf } from './row-table.ts'
import type { VectorSpace } from './vector-space.ts'

/** A sandbox's data in memory, at a head. */
export interface OpenedSandbox {
  head: Head
  /** Unique name of this build. Cache keys contain it, since row numbers can differ between builds. */
  name: string
  graph: RecordGraph
  mergedInto: Map<string, string>
  records: RowTable
  entities: EntityRowTable
  /** Cached tie-breakers, encrypted if the sandbox has a customer-managed key. */
  tieBreakers: EncryptedTieBreakers
  place: OpenedStore
  /** The vector space. Undefined if no vectors are read. */
  space: VectorSpace | undefined
  /** Access to the ranking threads, if there are any. Only large graphs are copied to them. */
  threaded?: ThreadedGraph
  /** Number of rows added since its last index snapshot. */
  changes: number
}

/** A sandbox's store and its storage root. Undefined is the platform's storage. */
export interface OpenedStore {
  root: StorageRoot | undefined
  store: SandboxStore
}

/** Adds the rows of a batch from `from` up to, but not including, `to`. */
export function putRows(opened: OpenedSandbox, batch: GraphColumns, from: number, to: number): void {
  // Rows with only a new row number do not count as changes.
  if (batch.kind !== 'moved') for (let at = from; at < to; at++) opened.changes += 1 - batch.moved[at]!
  for (let at = from; at < to; at++) {
    if (batch.kind === 'records') putRecord(opened, batch, at)
    else if (batch.kind === 'entities') putEntity(opened, batch, at)
    else if (batch.kind === 'moved') putMoved(opened, batch, at)
    else putVectors(opened, batch, at)
  }
}

function putRecord({ graph, records }: OpenedSandbox, batch: RecordColumns, at: number): void {
  const id = batch.ids[at]!
  if (!batch.live[at]) {
    graph.removeRecord(id)
    return
  }
  if (!batch.moved[at] || !graph.hasRecord(id, null)) {
    const occurredAtMs = batch.occurredAtMs[at]!
    graph.putRecord({
      id,
      seq: batch.seqs[at]!,
      sourceId: batch.sourceIds[at] ?? null,
      projectId: batch.projectIds[at] ?? null,
      type: batch.types[at]!,
      occurredAtMs: Number.isNaN(occurredAtMs) ? null : occurredAtMs,
      tie: batch.tieBreakers[at]!,
      externalKey: batch.externalKeys[at]!,
      analysis: batch.analyses[at]!,
    })
  }
  putRow(records, id, batch.rows[at]!)
}

function putEntity({ graph, mergedInto, entities }: OpenedSandbox, batch: EntityColumns, at: number): void {
  const id = batch.ids[at]!
  const into = batch.mergedInto[at]
  if (into) mergedInto.set(id, into)
  else mergedInto.delete(id)
  if (into || !batch.live[at]) {
    graph.removeEntity(id)
    return
  }
  const isKnown = rowOf(entities, id) !== undefined
  if (!batch.moved[at] || !isKnown) graph.putEntity({ id, type: batch.types[at]!, keys: batch.keys[at]! })
  putEntityRow(entities, id, batch.rows[at]!, batch.types[at]!)
}

function putMoved({ records, entities }: OpenedSandbox, batch: MovedColumns, at: number): void {
  putRow(batch.of === 'records' ? records : entities, batch.ids[at]!, batch.rows[at]!)
}

function putVectors({ graph, space }: OpenedSandbox, batch: VectorColumns, at: number): void {
  if (space === undefined || batch.spaces[at] !== space.key) return
  graph.putVectors({
    recordId: batch.ids[at]!,
    recordSeq: batch.recordSeqs[at]!,
    row: batch.rows[at]!,
    codes: codesOf(batch.codes[at]!, space.dimensions),
  })
}

import { createRecordGraph } from '@cairnstore/engine/rank'
import type { Head } from '../db/head.ts'
import { createEntityPlaces } from './entity-places.ts'
import { type OpenedSandbox, type Place, putRows } from './opened-sandbox.ts'
import { createRowTable } from './row-table.ts'
import { noTies } from './sealed-ties.ts'
import type { VectorSpace } from './vector-space.ts'

/** Building lets other work in after so many rows. */
const ROWS_BETWEEN_BREATHS = 200

/** What a sandbox is built of, and how. */
export interface Building {
  /** What no other build is named. */
  readonly name: string
  readonly place: Place
  readonly space: VectorSpace | undefined
  /** Told how many bytes there are so far; what it throws ends the building. */
  readonly grown: (bytes: number) => Promise<void>
}

/** A sandbox's knowledge as it is at a head, built of all its rows. */
export async function buildSandbox(head: Head, { name, place, space, grown }: Building): Promise<OpenedSandbox> {
  const graph = createRecordGraph()
  const opened: OpenedSandbox = {
    head,
    name,
    graph,
    mergedInto: new Map(),
    records: createRowTable(graph.recordTable),
    entities: createEntityPlaces(graph.entityTable),
    ties: noTies(0),
    place,
    space,
  }
  for await (const batch of place.store.readSince(head, 0, { vectors: space !== undefined })) {
    for (let from = 0; from < batch.count; from += ROWS_BETWEEN_BREATHS) {
      putRows(opened, batch, from, Math.min(batch.count, from + ROWS_BETWEEN_BREATHS))
      await new Promise((resolve) => setImmediate(resolve))
      await grown(graph.bytes)
    }
  }
  return opened
}

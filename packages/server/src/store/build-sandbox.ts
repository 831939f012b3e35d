import { createRecordGraph } from '@cairnstore/engine/rank'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Head } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import { readGraphFile } from './graph-file.ts'
import { openImage } from './graph-images.ts'
import { type OpenedSandbox, type OpenedStore, putRows } from './opened-sandbox.ts'
import { createEntityPlaces, createRowTable } from './row-table.ts'
import { noTies } from './sealed-ties.ts'
import type { VectorSpace } from './vector-space.ts'

/** Number of rows after which the build yields to other work. */
const ROWS_BETWEEN_BREATHS = 200

/** Inputs for building a sandbox's graph. */
export interface Building {
  readonly sandboxId: string
  /** Name that no other build has. */
  readonly name: string
  readonly place: OpenedStore
  readonly space: VectorSpace | undefined
  /** The customer-managed key, which encrypts the index snapshot. */
  readonly seal: ContentSeal | undefined
  /** HMAC key that signs index snapshots. Undefined disables snapshots. */
  readonly imageKey: Uint8Array | undefined
  readonly log: Log
  /** Called with the graph's size in bytes, before or as it grows. An error that it throws aborts the build. */
  readonly grown: (bytes: number) => Promise<void>
}

/**
 * Builds a sandbox's graph at a head. Starts from the index snapshot and adds newer rows, or reads all rows if there is
 * no snapshot.
 */
export async function buildSandbox(head: Head, building: Building): Promise<OpenedSandbox> {
  const { place, space, grown } = building
  const kept = await openKept(head, building)
  const opened = kept ?? emptySandbox(head, building)
  const since = kept?.head.seq ?? 0
  if (kept === undefined || since < head.seq) {
    for await (const batch of place.store.readSince(head, since, { vectors: space !== undefined })) {
      for (let from = 0; from < batch.count; from += ROWS_BETWEEN_BREATHS) {
        putRows(opened, batch, from, Math.min(batch.count, from + ROWS_BETWEEN_BREATHS))
        await new Promise((resolve) => setImmediate(resolve))
        await grown(opened.graph.bytes)
      }
    }
  }
  opened.head = head
  return opened
}

/** Loads the index snapshot of a sandbox. Returns undefined if there is none or it cannot be read. */
async function openKept(head: Head, building: Building): Promise<OpenedSandbox | undefined> {
  const { place, seal, imageKey, grown, log, sandboxId } = building
  if (head.graphImage === null || !imageKey || (head.keyEpoch !== null && seal?.epoch !== head.keyEpoch))
    return undefined
  try {
    const access = { store: place.store, seal: head.keyEpoch === null ? undefined : seal, key: imageKey }
    const image = await readGraphFile(access, head.graphImage, grown)
    return image && openImage(image, { ...building, head })
  } catch (error) {
    if (error instanceof Fault && error.reason === 'sandbox_too_large') throw error
    log.warn('the index snapshot cannot be read; the index is rebuilt', { sandboxId, error })
    return undefined
  }
}

function emptySandbox(head: Head, { name, place, space }: Building): OpenedSandbox {
  const graph = createRecordGraph()
  return {
    head,
    name,
    graph,
    mergedInto: new Map(),
    records: createRowTable(graph.recordTable),
    entities: createEntityPlaces(graph.entityTable),
    ties: noTies(0),
    place,
    space,
    changes: 0,
  }
}

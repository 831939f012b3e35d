import { createRecordGraph } from '@cairnstore/engine/rank'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Head } from '../db/head.ts'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import { emptyTieBreakers } from './encrypted-tie-breakers.ts'
import { openIndexSnapshot } from './index-snapshots.ts'
import { type OpenedSandbox, type OpenedStore, putRows } from './opened-sandbox.ts'
import { createEntityRowTable, createRowTable } from './row-table.ts'
import { readSnapshotFile } from './snapshot-file.ts'
import type { VectorSpace } from './vector-space.ts'

/** Number of rows after which the build yields to other work. */
const ROWS_PER_YIELD = 200

/** Inputs for building a sandbox's graph. */
export interface BuildOptions {
  readonly sandboxId: string
  /** Unique name of the build. */
  readonly name: string
  readonly place: OpenedStore
  readonly space: VectorSpace | undefined
  /** The customer-managed key, if available. It decrypts the index snapshot. */
  readonly seal: ContentCipher | undefined
  /** HMAC key that signs index snapshots. Undefined disables snapshots. */
  readonly snapshotKey: Uint8Array | undefined
  readonly log: Log
  /** Called with the graph's size in bytes, before or as it grows. An error that it throws aborts the build. */
  readonly onGrown: (bytes: number) => Promise<void>
}

/** Builds a sandbox's graph at a head. Starts from its index snapshot if there is one, else reads all rows. */
export async function buildSandbox(head: Head, building: BuildOptions): Promise<OpenedSandbox> {
  const { place, space, onGrown } = building
  const restored = await openFromSnapshot(head, building)
  const opened = restored ?? emptySandbox(head, building)
  const since = restored?.head.seq ?? 0
  if (restored === undefined || since < head.seq) {
    for await (const batch of place.store.readSince(head, since, { vectors: space !== undefined })) {
      for (let from = 0; from < batch.count; from += ROWS_PER_YIELD) {
        putRows(opened, batch, from, Math.min(batch.count, from + ROWS_PER_YIELD))
        await new Promise((resolve) => setImmediate(resolve))
        await onGrown(opened.graph.bytes)
      }
    }
  }
  opened.head = head
  return opened
}

/** Loads the index snapshot. Returns undefined if there is none or it cannot be read. Throws `sandbox_too_large`. */
async function openFromSnapshot(head: Head, building: BuildOptions): Promise<OpenedSandbox | undefined> {
  const { place, seal, snapshotKey, onGrown, log, sandboxId } = building
  if (head.graphImage === null || !snapshotKey || (head.keyEpoch !== null && seal?.epoch !== head.keyEpoch))
    return undefined
  try {
    const access = { store: place.store, seal: head.keyEpoch === null ? undefined : seal, key: snapshotKey }
    const image = await readSnapshotFile(access, head.graphImage, onGrown)
    return image && openIndexSnapshot(image, { ...building, head })
  } catch (error) {
    if (error instanceof Fault && error.reason === 'sandbox_too_large') throw error
    log.warn('the index snapshot cannot be read; the index is rebuilt', { sandboxId, error })
    return undefined
  }
}

function emptySandbox(head: Head, { name, place, space }: BuildOptions): OpenedSandbox {
  const graph = createRecordGraph()
  return {
    head,
    name,
    graph,
    mergedInto: new Map(),
    records: createRowTable(graph.recordTable),
    entities: createEntityRowTable(graph.entityTable),
    tieBreakers: emptyTieBreakers(0),
    place,
    space,
    changes: 0,
  }
}

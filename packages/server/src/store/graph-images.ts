import { createRecordGraph, type GraphImage } from '@cairnstore/engine/rank'
import type { Head } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import { writeGraphFile } from './graph-file.ts'
import type { OpenedSandbox, OpenedStore } from './opened-sandbox.ts'
import { noTies } from './sealed-ties.ts'
import type { VectorSpace } from './vector-space.ts'

/** Metadata of an index snapshot in addition to its graph. */
interface Kept {
  readonly sandboxId: string
  readonly seq: number
  readonly keyEpoch: number | null
  readonly space: number | null
  readonly mergedInto: readonly (readonly [string, string])[]
  readonly types: readonly string[]
}

/** Returns the in-memory state of a sandbox as a snapshot: its graph and the tables for it. */
function imageOf(sandboxId: string, { graph, head, mergedInto, records, entities, space }: OpenedSandbox): GraphImage {
  const image = graph.toImage()
  const kept: Kept = {
    sandboxId,
    seq: head.seq,
    keyEpoch: head.keyEpoch,
    space: space?.key ?? null,
    mergedInto: [...mergedInto],
    types: [...entities.typeNumbers.keys()],
  }
  return {
    ...image,
    tables: [
      ...image.tables,
      { name: 'store.recordRows', type: 'f64', stretches: [records.rows] },
      { name: 'store.entityRows', type: 'f64', stretches: [entities.rows] },
      { name: 'store.entityTypes', type: 'u32', stretches: [entities.typeOf] },
    ],
    facts: { ...image.facts, store: kept },
  }
}

/** The sandbox, head and vector space that a snapshot must match. */
interface Wanted {
  readonly sandboxId: string
  readonly head: Head
  readonly space: VectorSpace | undefined
  readonly name: string
  readonly place: OpenedStore
}

/**
 * Restores a sandbox from its snapshot, at the snapshot's commit. Returns undefined if the sandbox, key or model
 * differs, or if the head cannot be caught up with from that commit. Throws RangeError if a table is missing.
 */
export function openImage(
  image: GraphImage,
  { sandboxId, head, space, name, place }: Wanted,
): OpenedSandbox | undefined {
  const kept = image.facts.store as Kept
  const isOfSandbox = kept.sandboxId === sandboxId && kept.keyEpoch === head.keyEpoch
  const isReachable = kept.seq <= head.seq && kept.seq >= head.floorSeq
  if (!isOfSandbox || !isReachable || kept.space !== (space?.key ?? null)) return undefined
  const graph = createRecordGraph(image)
  return {
    head: { ...head, seq: kept.seq },
    name,
    graph,
    mergedInto: new Map(kept.mergedInto),
    records: { table: graph.recordTable, rows: tableOf(image, 'store.recordRows', Float64Array) },
    entities: {
      table: graph.entityTable,
      rows: tableOf(image, 'store.entityRows', Float64Array),
      typeOf: tableOf(image, 'store.entityTypes', Uint32Array),
      typeNumbers: new Map(kept.types.map((type, number) => [type, number])),
    },
    ties: noTies(0),
    place,
    space,
    changes: 0,
  }
}

function tableOf<T extends Float64Array | Uint32Array>(image: GraphImage, name: string, type: { new (): T }): T {
  const stretch = image.tables.find((table) => table.name === name)?.stretches[0]
  if (!(stretch instanceof type)) throw new RangeError(`The index snapshot has no table ${name}`)
  return stretch
}

/** Minimum number of records for a snapshot. A smaller graph is built within 100 ms. */
const RECORDS_MIN = 2_000
/** A snapshot is rewritten once 1/16 of its rows are newer, since each load must add those. */
const CHANGED_SHARE = 16

/** A written index snapshot, with its commit. It is valid once the head names it. */
export interface KeptImage {
  readonly seq: number
  readonly keyEpoch: number | null
  /** Notes that the head names it: resets the count of changes since the snapshot. */
  named(): void
}

/** Returns true if enough has changed that a new snapshot saves more time than it costs. */
export function isImageDue({ graph, changes }: OpenedSandbox): boolean {
  return graph.recordCount >= RECORDS_MIN && changes * CHANGED_SHARE >= graph.recordCount
}

class GraphChanged extends Error {
  override name = 'GraphChanged'
}

/**
 * Writes an index snapshot of a sandbox under a name, and yields to other work between segments. Returns undefined if
 * the graph changes meanwhile, or if the sandbox's key is not available.
 */
export async function keepImage(
  sandboxId: string,
  opened: OpenedSandbox,
  { name, seal, key }: { name: string; seal: ContentSeal | undefined; key: Uint8Array },
  breathe: () => Promise<void> | undefined,
): Promise<KeptImage | undefined> {
  const { head, changes, place } = opened
  const { seq, keyEpoch } = head
  if (keyEpoch !== null && seal?.epoch !== keyEpoch) return undefined
  const assertSame = (): void => {
    if (opened.head !== head) throw new GraphChanged()
  }
  const access = { store: place.store, seal: keyEpoch === null ? undefined : seal, key }
  try {
    await writeGraphFile(access, name, imageOf(sandboxId, opened), { assertSame, breathe })
  } catch (error) {
    if (error instanceof GraphChanged) return undefined
    throw error
  }
  return {
    seq,
    keyEpoch,
    named: () => {
      opened.changes -= changes
    },
  }
}

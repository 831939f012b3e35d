import { createRecordGraph, type GraphSnapshot } from '@cairnstore/engine/rank'
import type { Head } from '../db/head.ts'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import { emptyTieBreakers } from './encrypted-tie-breakers.ts'
import type { OpenedSandbox, OpenedStore } from './opened-sandbox.ts'
import { writeSnapshotFile } from './snapshot-file.ts'
import type { VectorSpace } from './vector-space.ts'

/** Metadata of an index snapshot in addition to its graph. */
interface SnapshotFacts {
  readonly sandboxId: string
  readonly seq: number
  readonly keyEpoch: number | null
  readonly space: number | null
  readonly mergedInto: readonly (readonly [string, string])[]
  readonly types: readonly string[]
}

/** Returns a snapshot of the sandbox's in-memory state: the graph and the row tables. */
function toSnapshot(
  sandboxId: string,
  { graph, head, mergedInto, records, entities, space }: OpenedSandbox,
): GraphSnapshot {
  const image = graph.toSnapshot()
  const facts: SnapshotFacts = {
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
      { name: 'store.recordRows', type: 'f64', segments: [records.rows] },
      { name: 'store.entityRows', type: 'f64', segments: [entities.rows] },
      { name: 'store.entityTypes', type: 'u32', segments: [entities.typeOf] },
    ],
    facts: { ...image.facts, store: facts },
  }
}

/** The sandbox, head and vector space that a snapshot must match. */
interface SnapshotTarget {
  readonly sandboxId: string
  readonly head: Head
  readonly space: VectorSpace | undefined
  readonly name: string
  readonly place: OpenedStore
}

/**
 * Restores a sandbox at its snapshot's commit. Returns undefined if the sandbox, key epoch or vector space differs, or
 * if that commit is too old to catch up from. Throws RangeError if a table is missing.
 */
export function openIndexSnapshot(
  image: GraphSnapshot,
  { sandboxId, head, space, name, place }: SnapshotTarget,
): OpenedSandbox | undefined {
  const facts = image.facts.store as SnapshotFacts
  const isOfSandbox = facts.sandboxId === sandboxId && facts.keyEpoch === head.keyEpoch
  const isReachable = facts.seq <= head.seq && facts.seq >= head.floorSeq
  if (!isOfSandbox || !isReachable || facts.space !== (space?.key ?? null)) return undefined
  const graph = createRecordGraph(image)
  return {
    head: { ...head, seq: facts.seq },
    name,
    graph,
    mergedInto: new Map(facts.mergedInto),
    records: { table: graph.recordTable, rows: tableOf(image, 'store.recordRows', Float64Array) },
    entities: {
      table: graph.entityTable,
      rows: tableOf(image, 'store.entityRows', Float64Array),
      typeOf: tableOf(image, 'store.entityTypes', Uint32Array),
      typeNumbers: new Map(facts.types.map((type, number) => [type, number])),
    },
    tieBreakers: emptyTieBreakers(0),
    place,
    space,
    changes: 0,
  }
}

function tableOf<T extends Float64Array | Uint32Array>(image: GraphSnapshot, name: string, type: { new (): T }): T {
  const segment = image.tables.find((table) => table.name === name)?.segments[0]
  if (!(segment instanceof type)) throw new RangeError(`The index snapshot has no table ${name}`)
  return segment
}

/** Minimum number of records for a snapshot. A smaller graph is built within 100 ms. */
const RECORDS_MIN = 2_000
/** A snapshot is rewritten once 1/CHANGED_SHARE of the rows are newer, since each load must add those. */
const CHANGED_SHARE = 16

/** A written index snapshot, with its commit. It is not used until the head names it. */
export interface WrittenSnapshot {
  readonly seq: number
  readonly keyEpoch: number | null
  /** Must be called once the head names it. Subtracts its rows from the changes since the last snapshot. */
  markNamed(): void
}

/** Returns true if the graph is large enough and has changed enough for a new snapshot. */
export function isIndexSnapshotDue({ graph, changes }: OpenedSandbox): boolean {
  return graph.recordCount >= RECORDS_MIN && changes * CHANGED_SHARE >= graph.recordCount
}

class GraphChanged extends Error {
  override name = 'GraphChanged'
}

/** Writes an index snapshot. Returns undefined if the graph changes meanwhile or the key is missing. */
export async function writeIndexSnapshot(
  sandboxId: string,
  opened: OpenedSandbox,
  { name, seal, key }: { name: string; seal: ContentCipher | undefined; key: Uint8Array },
  yieldIfDue: () => Promise<void> | undefined,
): Promise<WrittenSnapshot | undefined> {
  const { head, changes, place } = opened
  const { seq, keyEpoch } = head
  if (keyEpoch !== null && seal?.epoch !== keyEpoch) return undefined
  const assertSame = (): void => {
    if (opened.head !== head) throw new GraphChanged()
  }
  const access = { store: place.store, seal: keyEpoch === null ? undefined : seal, key }
  try {
    await writeSnapshotFile(access, name, toSnapshot(sandboxId, opened), { assertSame, yieldIfDue })
  } catch (error) {
    if (error instanceof GraphChanged) return undefined
    throw error
  }
  return {
    seq,
    keyEpoch,
    markNamed: () => {
      opened.changes -= changes
    },
  }
}

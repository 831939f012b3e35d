import { createRecordGraph, type GraphImage } from '@cairnstore/engine/rank'
import type { Head } from '../db/head.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import { writeGraphFile } from './graph-file.ts'
import type { OpenedSandbox, OpenedStore } from './opened-sandbox.ts'
import { noTies } from './sealed-ties.ts'
import type { VectorSpace } from './vector-space.ts'

/** What an image says beyond its graph. */
interface Kept {
  readonly sandboxId: string
  readonly seq: number
  readonly keyEpoch: number | null
  readonly space: number | null
  readonly mergedInto: readonly (readonly [string, string])[]
  readonly types: readonly string[]
}

/** What is held of a sandbox, as values that can be kept: its graph, and the tables around it. */
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

/** What an image is to be of. */
interface Wanted {
  readonly sandboxId: string
  readonly head: Head
  readonly space: VectorSpace | undefined
  readonly name: string
  readonly place: OpenedStore
}

/**
 * What is held of a sandbox, as its image has it: at the head that it was kept at, or one before. Undefined when the
 * image is of another sandbox, key or model, or of a commit from which nobody can catch up. Throws RangeError on an
 * image that is not whole.
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
  if (!(stretch instanceof type)) throw new RangeError(`The image has no table ${name}`)
  return stretch
}

/** A graph of fewer records is built within a tenth of a second. */
const RECORDS_MIN = 2_000
/** An image is written anew once so large a part of its rows is newer, which a reader of it has to bring in. */
const CHANGED_SHARE = 16

/** An image that was written, as it was at a commit; it counts once the head names it. */
export interface KeptImage {
  readonly seq: number
  readonly keyEpoch: number | null
  /** Says that the head names it. */
  named(): void
}

/** Whether so much is new in a graph that an image of it would spare a reader more than it costs. */
export function isImageDue({ graph, changes }: OpenedSandbox): boolean {
  return graph.recordCount >= RECORDS_MIN && changes * CHANGED_SHARE >= graph.recordCount
}

class GraphChanged extends Error {
  override name = 'GraphChanged'
}

/**
 * Writes an image of what is held of a sandbox under a name, in pieces between which other work is let in. Undefined
 * when the graph changes meanwhile, and where the sandbox is under a key that is not here.
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

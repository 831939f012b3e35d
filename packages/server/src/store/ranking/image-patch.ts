import type { GraphImage, ImageTable } from '@cairnstore/engine/rank'

/** A table whose first `kept` stretches the receiver already has. */
interface PatchedTable extends ImageTable {
  readonly unchangedBlocks: number
}

/**
 * The difference between a snapshot and the previous one. A large graph has thousands of pages, and a commit changes
 * few.
 */
export interface SnapshotPatch extends Omit<GraphImage, 'tables'> {
  readonly tables: readonly PatchedTable[]
}

/** Returns the patch that turns `before`, or nothing, into this snapshot. */
export function diffSnapshots(before: GraphImage | undefined, image: GraphImage): SnapshotPatch {
  const known = new Map(before?.tables.map(({ name, stretches }) => [name, stretches]))
  const tables = image.tables.map((table) => {
    const own = known.get(table.name) ?? []
    let unchangedBlocks = 0
    while (
      unchangedBlocks < table.stretches.length &&
      isSameMemory(own[unchangedBlocks], table.stretches[unchangedBlocks]!)
    ) {
      unchangedBlocks += 1
    }
    return { ...table, unchangedBlocks, stretches: table.stretches.slice(unchangedBlocks) }
  })
  return { ...image, tables }
}

/** Applies a patch from `patchFrom` to the same `before`. Returns the snapshot. */
export function applyPatch(before: GraphImage | undefined, patch: SnapshotPatch): GraphImage {
  const known = new Map(before?.tables.map(({ name, stretches }) => [name, stretches]))
  const tables = patch.tables.map(({ unchangedBlocks, ...table }) => ({
    ...table,
    stretches: [...(known.get(table.name)?.slice(0, unchangedBlocks) ?? []), ...table.stretches],
  }))
  return { ...patch, tables }
}

type TableStretch = ImageTable['stretches'][number]

/** Returns true if both are the same section of shared memory. */
function isSameMemory(one: TableStretch | undefined, other: TableStretch): boolean {
  const isSame = one?.buffer === other.buffer && one.byteOffset === other.byteOffset && one.length === other.length
  return isSame && other.buffer instanceof SharedArrayBuffer
}

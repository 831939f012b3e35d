import type { GraphSnapshot, SnapshotTable } from '@cairnstore/engine/rank'

/** A table without its first `unchangedBlocks` segments, which the receiver already has. */
interface PatchedTable extends SnapshotTable {
  readonly unchangedBlocks: number
}

/** The difference between a snapshot and the previous one. A commit changes few of its pages. */
export interface SnapshotPatch extends Omit<GraphSnapshot, 'tables'> {
  readonly tables: readonly PatchedTable[]
}

/** Returns the patch that turns `before`, or nothing, into this snapshot. */
export function diffSnapshots(before: GraphSnapshot | undefined, image: GraphSnapshot): SnapshotPatch {
  const known = new Map(before?.tables.map(({ name, segments }) => [name, segments]))
  const tables = image.tables.map((table) => {
    const own = known.get(table.name) ?? []
    let unchangedBlocks = 0
    while (
      unchangedBlocks < table.segments.length &&
      isSameMemory(own[unchangedBlocks], table.segments[unchangedBlocks]!)
    ) {
      unchangedBlocks += 1
    }
    return { ...table, unchangedBlocks, segments: table.segments.slice(unchangedBlocks) }
  })
  return { ...image, tables }
}

/** Applies a patch from `diffSnapshots` to the same `before`. Returns the snapshot. */
export function applyPatch(before: GraphSnapshot | undefined, patch: SnapshotPatch): GraphSnapshot {
  const known = new Map(before?.tables.map(({ name, segments }) => [name, segments]))
  const tables = patch.tables.map(({ unchangedBlocks, ...table }) => ({
    ...table,
    segments: [...(known.get(table.name)?.slice(0, unchangedBlocks) ?? []), ...table.segments],
  }))
  return { ...patch, tables }
}

type TableSegment = SnapshotTable['segments'][number]

/** Returns true if both are the same range of the same shared memory. */
function isSameMemory(one: TableSegment | undefined, other: TableSegment): boolean {
  const isSame = one?.buffer === other.buffer && one.byteOffset === other.byteOffset && one.length === other.length
  return isSame && other.buffer instanceof SharedArrayBuffer
}

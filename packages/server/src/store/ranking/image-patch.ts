import type { GraphImage, ImageTable } from '@cairnstore/engine/rank'

/** A table whose first `kept` stretches the receiver already has. */
interface PatchedTable extends ImageTable {
  readonly kept: number
}

/**
 * The difference between a snapshot and the previous one. A large graph has thousands of pages, and a commit changes
 * few.
 */
export interface ImagePatch extends Omit<GraphImage, 'tables'> {
  readonly tables: readonly PatchedTable[]
}

/** Returns the patch that turns `before`, or nothing, into this snapshot. */
export function patchFrom(before: GraphImage | undefined, image: GraphImage): ImagePatch {
  const known = new Map(before?.tables.map(({ name, stretches }) => [name, stretches]))
  const tables = image.tables.map((table) => {
    const own = known.get(table.name) ?? []
    let kept = 0
    while (kept < table.stretches.length && isSameMemory(own[kept], table.stretches[kept]!)) kept += 1
    return { ...table, kept, stretches: table.stretches.slice(kept) }
  })
  return { ...image, tables }
}

/** Applies a patch from `patchFrom` to the same `before`. Returns the snapshot. */
export function patched(before: GraphImage | undefined, patch: ImagePatch): GraphImage {
  const known = new Map(before?.tables.map(({ name, stretches }) => [name, stretches]))
  const tables = patch.tables.map(({ kept, ...table }) => ({
    ...table,
    stretches: [...(known.get(table.name)?.slice(0, kept) ?? []), ...table.stretches],
  }))
  return { ...patch, tables }
}

type TableStretch = ImageTable['stretches'][number]

/** Returns true if both are the same section of shared memory. */
function isSameMemory(one: TableStretch | undefined, other: TableStretch): boolean {
  const isSame = one?.buffer === other.buffer && one.byteOffset === other.byteOffset && one.length === other.length
  return isSame && other.buffer instanceof SharedArrayBuffer
}

import type { MergedRegion, SheetCell, SheetRow } from '../formats/sheet.ts'

/** Maximum number of merged regions of a sheet that are filled. */
export const REGIONS_MAX = 50_000
/** Maximum number of columns that are filled per region. A title can be merged over any number of columns. */
const COLUMNS_MAX = 256
/** Maximum number of regions that are filled per row. */
const OPEN_MAX = 500

/**
 * Copies the first cell of each merged region to its other cells. Rows without cells of their own stay empty. A region
 * of a million rows therefore adds no rows.
 */
export async function* fillMerged(
  rows: Iterable<SheetRow> | AsyncIterable<SheetRow>,
  regions: readonly MergedRegion[],
): AsyncGenerator<SheetRow> {
  const ordered = regions.toSorted((one, other) => one.top - other.top)
  let next = 0
  let open: { region: MergedRegion; cell: SheetCell | undefined }[] = []
  for await (const { row, cells } of rows) {
    open = open.filter(({ region }) => region.bottom >= row)
    for (; next < ordered.length && ordered[next]!.top <= row; next += 1) {
      const region = ordered[next]!
      if (region.bottom < row || open.length >= OPEN_MAX) continue
      const cell = region.top === row ? cells.get(region.left) : undefined
      open.push({ region, cell: cell && { ...cell, merged: region } })
    }
    yield open.length === 0 || cells.size === 0 ? { row, cells } : { row, cells: filled(cells, open) }
  }
}

function filled(
  cells: ReadonlyMap<number, SheetCell>,
  open: readonly { region: MergedRegion; cell: SheetCell | undefined }[],
): ReadonlyMap<number, SheetCell> {
  const all = new Map(cells)
  for (const { region, cell } of open) {
    const right = Math.min(region.right, region.left + COLUMNS_MAX - 1)
    for (let column = region.left; cell && column <= right; column += 1) all.set(column, cell)
  }
  return new Map([...all].toSorted(([one], [other]) => one - other))
}

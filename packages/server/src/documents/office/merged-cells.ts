import type { MergedRegion, SheetCell, SheetRow } from '../formats/sheet.ts'

/** Columns of one region that are filled; a title is merged over any number. */
const COLUMNS_MAX = 256
/** Regions of one row that are filled. */
const OPEN_MAX = 500

/**
 * Gives each cell of a merged region the value of its first cell. Rows without a cell of their own stay as they are, so
 * that a region of a million rows adds none.
 */
export async function* fillMerged(
  rows: AsyncIterable<SheetRow>,
  regions: readonly MergedRegion[],
): AsyncGenerator<SheetRow> {
  const coming = regions.toSorted((one, other) => one.top - other.top)
  let next = 0
  let open: { region: MergedRegion; cell: SheetCell | undefined }[] = []
  for await (const { row, cells } of rows) {
    open = open.filter(({ region }) => region.bottom >= row)
    for (; next < coming.length && coming[next]!.top <= row; next += 1) {
      const region = coming[next]!
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

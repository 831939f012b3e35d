import { markdownTable } from './document.ts'
import type { SheetCell, SheetRow } from './formats/sheet.ts'
import { groupedHeaderOf, isOneRegion } from './formats/table-header.ts'

/** Maximum number of cells that are filled for the merged cells of a table. */
const FILLED_MAX = 50_000
const COLUMNS_MAX = 1_000
const ROWS_MAX = 10_000
const HEADER_ROWS_MAX = 8

/** Builds a table row by row. The text of a merged cell appears in each row and column that the cell covers. */
export class TableGrid {
  readonly #rows: Map<number, SheetCell>[] = []
  #at = -1
  #column = 0
  #filled = 0

  openRow(): void {
    this.#rows[this.#at + 1] ??= new Map()
    this.#at += 1
    this.#column = 0
  }

  /** Appends a cell to the current row, and returns its first column. */
  cell(text: string, across = 1, down = 1): number {
    if (this.#at < 0) this.openRow()
    while (this.#rows[this.#at]!.has(this.#column)) this.#column += 1
    const column = this.#column
    const [width, height] = [clamped(across, COLUMNS_MAX), clamped(down, ROWS_MAX)]
    this.#filled += width * height - 1
    const isMerged = width * height > 1 && this.#filled <= FILLED_MAX
    const merged = isMerged
      ? { top: this.#at + 1, bottom: this.#at + height, left: column, right: column + width - 1 }
      : undefined
    const cell: SheetCell = { value: text, ...(merged && { merged }) }
    for (let row = this.#at; row < this.#at + (isMerged ? height : 1); row += 1) {
      const cells = this.#rows[row] ?? new Map<number, SheetCell>()
      this.#rows[row] = cells
      for (let at = column; at < column + (isMerged ? width : 1); at += 1) if (!cells.has(at)) cells.set(at, cell)
    }
    this.#column = column + width
    return column
  }

  /** Appends a cell that continues the cell above it, as in a vertically merged cell of a DOCX. */
  repeatCellAbove(across = 1): void {
    const above = this.#rows[this.#at - 1]?.get(this.#column)
    const column = this.cell(above ? String(above.value) : '', across)
    if (!above || this.#at >= HEADER_ROWS_MAX) return
    // Extends the merged region by this row, in all of its cells. Only header detection uses the region.
    const right = column + clamped(across, COLUMNS_MAX) - 1
    const merged = { top: above.merged?.top ?? this.#at, bottom: this.#at + 1, left: column, right }
    for (let row = merged.top - 1; row <= this.#at; row += 1)
      for (let at = column; at <= right; at += 1) this.#rows[row]?.set(at, { value: above.value, merged })
  }

  /** Skips columns at the beginning of a row. */
  skip(columns: number): void {
    this.#column += clamped(columns, COLUMNS_MAX)
  }

  /** Returns the table as Markdown, with full-width titles above it. A multi-line header becomes one line. */
  markdown(): string {
    const rows = this.#rows
      .slice(0, this.#at + 1)
      .map((cells, at) => ({ row: at + 1, cells: withText(cells) }))
      .filter(({ cells }) => cells.size > 0)
    const width = Math.max(0, ...rows.map(({ cells }) => Math.max(...cells.keys()) + 1))
    const titles: string[] = []
    while (rows.length > 1 && width > 1 && isOneRegion(rows[0]!) && rows[0]!.cells.size === width)
      titles.push(String([...rows.shift()!.cells.values()][0]!.value))
    const header = groupedHeaderOf(rows)
    const texts = rows.slice(header ? header.to + 1 : 0).map((row) => textsOf(row, width))
    if (header) texts.unshift(Array.from({ length: width }, (_, column) => header.columns.get(column) ?? ''))
    return [...titles, markdownTable(texts)].filter((text) => text !== '').join('\n\n')
  }
}

function clamped(span: number, most: number): number {
  return Number.isInteger(span) && span > 1 ? Math.min(span, most) : 1
}

/** Returns the cells with text, ordered by column. */
function withText(cells: ReadonlyMap<number, SheetCell>): Map<number, SheetCell> {
  const filled = [...cells].filter(([, { value }]) => String(value).trim() !== '')
  return new Map(filled.toSorted(([one], [other]) => one - other))
}

/** Returns the texts of a row. If a cell is merged over the whole row, its text appears only in the first column. */
function textsOf(row: SheetRow, width: number): string[] {
  const isOne = isOneRegion(row)
  return Array.from({ length: width }, (_, column) => {
    const cell = row.cells.get(column)
    return cell === undefined || (isOne && cell.merged!.left !== column) ? '' : String(cell.value)
  })
}

import type { Value } from '../document.ts'

/** Cells that are merged into one, by their rows and columns, the last ones included. */
export interface MergedRegion {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** A cell of a sheet. */
export interface SheetCell {
  readonly value: Value
  /** The value as the sheet shows it, where that says more. */
  readonly shown?: string | undefined
  /** The unit in which a number is counted. */
  readonly unit?: string | undefined
  /** The region that the cell is part of; each of its cells has its value. */
  readonly merged?: MergedRegion | undefined
  /** Whether its formula sums up cells of its own column. */
  readonly isSum?: boolean | undefined
}

/** A row as it stands in a sheet: its number, counted from 1, and its filled cells by column, counted from 0. */
export interface SheetRow {
  readonly row: number
  readonly cells: ReadonlyMap<number, SheetCell>
}

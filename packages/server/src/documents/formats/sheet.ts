import type { Value } from '../document.ts'

/** A merged region by its first and last rows and columns, inclusive. */
export interface MergedRegion {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

export interface SheetCell {
  readonly value: Value
  /** The value as the sheet displays it, if that contains more than the value. */
  readonly shown?: string | undefined
  /** The unit of a number. */
  readonly unit?: string | undefined
  /** The merged region to which the cell belongs. All of its cells have the same value. */
  readonly merged?: MergedRegion | undefined
  /** True if the cell has a formula that aggregates its own column or a table. */
  readonly isSum?: boolean | undefined
}

/** A row of a sheet: its number, from 1, and its filled cells by column, from 0. */
export interface SheetRow {
  readonly row: number
  readonly cells: ReadonlyMap<number, SheetCell>
}

/** Returns the name of a file without folders and extension. Tables are named by it if the file has only one. */
export function stemOf(name: string): string {
  return name
    .split('/')
    .at(-1)!
    .replace(/\.[^.]+$/, '')
}

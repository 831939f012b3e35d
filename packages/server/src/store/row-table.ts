import { type IdTable, placeOfId, withRoom } from '@cairnstore/engine/rank'

/** Where records, or entities, of a sandbox are stored: by the places that a table of the graph gives their ids. */
export interface RowTable {
  /** The graph's table of those that are there. */
  table: IdTable
  /** By place in the table: the row. */
  rows: Float64Array
}

export function createRowTable(table: IdTable): RowTable {
  return { table, rows: new Float64Array(1) }
}

/** The row of an id; undefined for one that is not there. */
export function rowOf({ table, rows }: RowTable, id: string): number | undefined {
  const place = placeOfId(table, id)
  return place === undefined ? undefined : rows[place]
}

/** Notes the row of an id that the graph has; answers its place, or undefined where the graph does not have it. */
export function putRow(known: RowTable, id: string, row: number): number | undefined {
  const place = placeOfId(known.table, id)
  if (place === undefined) return undefined
  known.rows = withRoom(known.rows, place + 1)
  known.rows[place] = row
  return place
}

import { type IdTable, idAt, placeOfId, placesTaken, withRoom } from '@cairnstore/engine/rank'

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

/** Where the entities of a sandbox are stored, and of what type each is; in tables, as texts mention very many. */
export interface EntityPlaces extends RowTable {
  /** By place in the table: the number of its type. */
  typeOf: Uint32Array
  typeNumbers: Map<string, number>
}

export function createEntityPlaces(table: IdTable): EntityPlaces {
  return { ...createRowTable(table), typeOf: new Uint32Array(1), typeNumbers: new Map() }
}

/** Notes where an entity is stored that the graph has. */
export function putEntityRow(places: EntityPlaces, id: string, row: number, type: string): void {
  const place = putRow(places, id, row)
  if (place === undefined) return
  const kind = places.typeNumbers.get(type) ?? places.typeNumbers.size
  places.typeNumbers.set(type, kind)
  places.typeOf = withRoom(places.typeOf, place + 1)
  places.typeOf[place] = kind
}

/** The ids of all entities, or of those of one type. */
export function entityIdsOf({ table, typeOf, typeNumbers }: EntityPlaces, type: string | undefined): string[] {
  const kind = type === undefined ? undefined : typeNumbers.get(type)
  if (type !== undefined && kind === undefined) return []
  const places = placesTaken(table)
  return (kind === undefined ? places : places.filter((place) => typeOf[place] === kind)).map(
    (place) => idAt(table, place)!,
  )
}

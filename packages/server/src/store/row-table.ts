import { type IdTable, idAt, placeOfId, placesTaken, withRoom } from '@cairnstore/engine/rank'

/** Row numbers of a sandbox's records or entities, indexed by their ordinals in the graph's id table. */
export interface RowTable {
  /** The graph's id table. */
  table: IdTable
  /** Row number by ordinal. */
  rows: Float64Array
}

export function createRowTable(table: IdTable): RowTable {
  return { table, rows: new Float64Array(1) }
}

/** Returns the row number of an id. Undefined if the id is unknown. */
export function rowOf({ table, rows }: RowTable, id: string): number | undefined {
  const place = placeOfId(table, id)
  return place === undefined ? undefined : rows[place]
}

/** Sets the row number of an id. Returns its ordinal, or undefined if the graph does not have the id. */
export function putRow(known: RowTable, id: string, row: number): number | undefined {
  const place = placeOfId(known.table, id)
  if (place === undefined) return undefined
  known.rows = withRoom(known.rows, place + 1)
  known.rows[place] = row
  return place
}

/** Row numbers and types of a sandbox's entities. Typed arrays, since texts mention very many entities. */
export interface EntityPlaces extends RowTable {
  /** Type number by ordinal. */
  typeOf: Uint32Array
  typeNumbers: Map<string, number>
}

export function createEntityPlaces(table: IdTable): EntityPlaces {
  return { ...createRowTable(table), typeOf: new Uint32Array(1), typeNumbers: new Map() }
}

/** Sets the row number and type of an entity that the graph has. */
export function putEntityRow(places: EntityPlaces, id: string, row: number, type: string): void {
  const place = putRow(places, id, row)
  if (place === undefined) return
  const kind = places.typeNumbers.get(type) ?? places.typeNumbers.size
  places.typeNumbers.set(type, kind)
  places.typeOf = withRoom(places.typeOf, place + 1)
  places.typeOf[place] = kind
}

/** Returns the ids of all entities, or of those of one type. */
export function entityIdsOf({ table, typeOf, typeNumbers }: EntityPlaces, type: string | undefined): string[] {
  const kind = type === undefined ? undefined : typeNumbers.get(type)
  if (type !== undefined && kind === undefined) return []
  const places = placesTaken(table)
  return (kind === undefined ? places : places.filter((place) => typeOf[place] === kind)).map(
    (place) => idAt(table, place)!,
  )
}

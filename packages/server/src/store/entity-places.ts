import { type IdTable, idAt, placeOfId, placesTaken, withRoom } from '@cairnstore/engine/rank'

/** Where the entities of a sandbox are stored, and of what type each is; in tables, as texts mention very many. */
export interface EntityPlaces {
  /** The graph's table of the entities that are there. */
  table: IdTable
  /** By place in the table: the row. */
  rows: Float64Array
  /** By place in the table: the number of its type. */
  typeOf: Uint32Array
  typeNumbers: Map<string, number>
}

export function createEntityPlaces(table: IdTable): EntityPlaces {
  return { table, rows: new Float64Array(1), typeOf: new Uint32Array(1), typeNumbers: new Map() }
}

/** Where an entity is stored; undefined for one that is not there. */
export function rowOfEntity({ table, rows }: EntityPlaces, id: string): number | undefined {
  const place = placeOfId(table, id)
  return place === undefined ? undefined : rows[place]
}

/** Notes where an entity is stored that the graph has. */
export function putEntityRow(places: EntityPlaces, id: string, row: number, type: string): void {
  const place = placeOfId(places.table, id)
  if (place === undefined) return
  const kind = places.typeNumbers.get(type) ?? places.typeNumbers.size
  places.typeNumbers.set(type, kind)
  places.rows = withRoom(places.rows, place + 1)
  places.typeOf = withRoom(places.typeOf, place + 1)
  places.rows[place] = row
  places.typeOf[place] = kind
}

/** Notes that an entity's row is another now, when the entity is there. */
export function moveEntityRow({ table, rows }: EntityPlaces, id: string, row: number): void {
  const place = placeOfId(table, id)
  if (place !== undefined) rows[place] = row
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

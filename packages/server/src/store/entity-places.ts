import { addId, createIdTable, type IdTable, placeOfId, removeId, withRoom } from '@cairn/engine/rank'

/** Where the entities of a sandbox are stored, and of what type each is; in tables, as texts mention very many. */
export interface EntityPlaces {
  table: IdTable
  /** By place in the table: the row. */
  rows: Float64Array
  /** By place in the table: the number of its type. */
  typeOf: Uint32Array
  typeNumbers: Map<string, number>
}

export function createEntityPlaces(): EntityPlaces {
  return { table: createIdTable(), rows: new Float64Array(1), typeOf: new Uint32Array(1), typeNumbers: new Map() }
}

/** Where an entity is stored; undefined for one that is not there. */
export function rowOfEntity({ table, rows }: EntityPlaces, id: string): number | undefined {
  const place = placeOfId(table, id)
  return place === undefined ? undefined : rows[place]
}

export function putEntityRow(places: EntityPlaces, id: string, row: number, type: string): void {
  const kind = places.typeNumbers.get(type) ?? places.typeNumbers.size
  places.typeNumbers.set(type, kind)
  const place = addId(places.table, id)
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

export function removeEntityRow({ table }: EntityPlaces, id: string): void {
  removeId(table, id)
}

/** The ids of all entities, or of those of one type. */
export function entityIdsOf({ table, typeOf, typeNumbers }: EntityPlaces, type: string | undefined): string[] {
  const kind = type === undefined ? undefined : typeNumbers.get(type)
  if (type !== undefined && kind === undefined) return []
  return table.ids.filter((id, place) => id !== '' && (kind === undefined || typeOf[place] === kind))
}

import { findOrdinal, type IdTable, idAt, usedOrdinals, withCapacity } from '@cairnstore/engine/rank'

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
  const docId = findOrdinal(table, id)
  return docId === undefined ? undefined : rows[docId]
}

/** Sets the row number of an id. Returns its ordinal, or undefined if the graph does not have the id. */
export function putRow(known: RowTable, id: string, row: number): number | undefined {
  const docId = findOrdinal(known.table, id)
  if (docId === undefined) return undefined
  known.rows = withCapacity(known.rows, docId + 1)
  known.rows[docId] = row
  return docId
}

/** Row numbers and types of a sandbox's entities. Typed arrays save memory, since there are very many. */
export interface EntityRowTable extends RowTable {
  /** Type number by ordinal. */
  typeOf: Uint32Array
  typeNumbers: Map<string, number>
}

export function createEntityRowTable(table: IdTable): EntityRowTable {
  return { ...createRowTable(table), typeOf: new Uint32Array(1), typeNumbers: new Map() }
}

/** Sets the row number and type of an entity that the graph has. */
export function putEntityRow(entities: EntityRowTable, id: string, row: number, type: string): void {
  const docId = putRow(entities, id, row)
  if (docId === undefined) return
  const kind = entities.typeNumbers.get(type) ?? entities.typeNumbers.size
  entities.typeNumbers.set(type, kind)
  entities.typeOf = withCapacity(entities.typeOf, docId + 1)
  entities.typeOf[docId] = kind
}

/** Returns the ids of all entities of a type, or of all types if it is undefined. */
export function entityIdsOf({ table, typeOf, typeNumbers }: EntityRowTable, type: string | undefined): string[] {
  const kind = type === undefined ? undefined : typeNumbers.get(type)
  if (type !== undefined && kind === undefined) return []
  const docIds = usedOrdinals(table)
  return (kind === undefined ? docIds : docIds.filter((docId) => typeOf[docId] === kind)).map(
    (docId) => idAt(table, docId)!,
  )
}

import { type Entity, encodeEntity, entityKeys } from '@cairnstore/engine/resolve'
import type { KeyHash } from '@cairnstore/engine/text'
import type { EntityRow } from './port.ts'

const EMPTY = new Uint8Array()

/** The row by which the id of an entity that was merged away leads to the one that it became. */
export function toMergedRow({ id, type }: Pick<Entity, 'id' | 'type'>, into: string): EntityRow {
  return { id, live: true, type, mergedInto: into, keys: [], content: EMPTY }
}

/** The row that keeps an entity, under every key that leads to it. */
export function toEntityRow(entity: Entity, hash: KeyHash): EntityRow {
  return {
    id: entity.id,
    live: true,
    type: entity.type,
    mergedInto: null,
    keys: entityKeys(entity, hash),
    content: encodeEntity(entity),
  }
}

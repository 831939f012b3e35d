import {
  declarationKeys,
  declarationsOf,
  decodeContent,
  decodeEntity,
  mentionDeclarations,
  type RecordContent,
} from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import { buildBatch } from '../../packages/server/src/ingest/batch.ts'
import type { Batch, IncomingRecord, StorageQuota } from '../../packages/server/src/ingest/batch-shape.ts'
import type { EntityRow, RecordRow } from '../../packages/server/src/store/port.ts'

const hash = plainKeyHash

/** Returns an in-memory sandbox that applies batches like the store and the graph. */
export function openSandbox(room: StorageQuota = { records: null, bytes: null }, links = new Set<string>()) {
  const records = new Map<string, RecordRow>()
  const entities = new Map<string, EntityRow>()
  let made = 0
  const next = (prefix: string) => `${prefix}_${String(++made).padStart(4, '0')}`
  const live = () => [...entities.values()].filter((row) => row.live && !row.mergedInto)
  const thingsOf = (row: RecordRow) => {
    const content = decodeContent<RecordContent & { provider: string }>(row.content)
    return declarationsOf(content, { sourceId: row.sourceId ?? null, provider: content.provider })
  }
  const apply = async (...incoming: IncomingRecord[]): Promise<Batch> => {
    const batch = await buildBatch(incoming, {
      hash,
      known: {
        withKey: (key) => live().flatMap((row) => (Array.from(row.keys).includes(key) ? [row.id] : [])),
        get: (id) => {
          const row = entities.get(id)
          return row && decodeEntity(row)
        },
      },
      stored: (key) => [...records.values()].find((row) => row.externalKey === hash(key)),
      links,
      marks: new Map(),
      supporters: (key) =>
        [...records.values()].filter((row) =>
          thingsOf(row).some((thing) => declarationKeys(thing).map(hash).includes(key)),
        ).length,
      quota: room,
      newRecordId: () => next('rec'),
      newEntityId: () => next('ent'),
    })
    for (const row of batch.records) row.live ? records.set(row.id, row) : records.delete(row.id)
    for (const row of batch.entities) row.live ? entities.set(row.id, row) : entities.delete(row.id)
    return batch
  }
  return {
    apply,
    records,
    named: (name: string) =>
      live()
        .map(decodeEntity)
        .filter((entity) => entity.names.some((known) => known.text === name)),
    entities: () => live().map(decodeEntity),
  }
}

/** Returns a record as read from the inbox; by default it comes from a chat source. */
export function incoming(
  content: Partial<RecordContent>,
  { sourceId = 'src_chat', provider = 'slack', deleted = false } = {},
): IncomingRecord {
  const full = { external_id: 'one', type: 'message', ...content }
  const origin = { sourceId, provider }
  const said = { things: declarationsOf(full, origin), mentioned: mentionDeclarations(full) }
  return { content: full, origin, projectId: null, deleted, line: 1, ...said }
}

import {
  declaredThings,
  decodeContent,
  decodeEntity,
  mentionedThings,
  recordKey,
  type StoredContent,
} from '@cairn/engine/resolve'
import { toEntityRow } from '../store/entity-rows.ts'
import type { RowsAnew } from '../store/port.ts'
import { toRecordRow } from '../store/record-row.ts'
import { openEntity, openLink, openRecord, sealEntity, sealLink, sealRecord } from '../store/sealed-store.ts'
import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'

/** Rows under one key as rows under another: opened, hashed and analysed anew, and sealed. */
export function rowsAnew(before: ContentSeal, after: ContentSeal): RowsAnew {
  return {
    records: (row) => {
      const { id, sourceId, projectId, content: encoded } = openRecord(before, { ...row, seq: 0 })
      const content = decodeContent<StoredContent>(encoded)
      const origin = { sourceId: sourceId ?? null, provider: content.provider }
      const said = { things: declaredThings(content, origin), mentioned: mentionedThings(content) }
      const record = { content, origin, projectId: projectId ?? null, ...said }
      const key = recordKey(origin.sourceId, content.external_id)
      return sealRecord(after, toRecordRow(id, key, record, encoded, after.hash))
    },
    entities: (row) => {
      const entity = openEntity(before, row)
      if (row.mergedInto !== null || row.content.length === 0) return sealEntity(after, entity)
      return sealEntity(after, toEntityRow(decodeEntity(entity), after.hash))
    },
    links: (row) => sealLink(after, openLink(before, row)),
  }
}

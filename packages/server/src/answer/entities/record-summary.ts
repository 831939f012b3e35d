import type { Id, RecordSummary } from '@cairnstore/contract'
import type { ReadRecord } from '@cairnstore/engine/resolve'

/** A record as it is listed, with its source as far as that is shown. */
export function toSummary({ id, content }: ReadRecord, sourceId: string | null): RecordSummary {
  return {
    record_id: id as Id<'record'>,
    external_id: content.external_id,
    type: content.type,
    title: content.title ?? null,
    occurred_at: content.occurred_at ?? null,
    source_id: sourceId,
  }
}

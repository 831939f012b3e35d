import type { Id, KnowledgeRecord } from '@cairn/contract'
import type { ReadRecord } from '@cairn/engine/resolve'
import type { ReadMention } from '../../store/mentions.ts'

/** A record as the contract shows it, with the names in its text. */
export function wireRecord(
  { id, sourceId, projectId, content, things }: ReadRecord,
  sandboxId: string,
  mentions: readonly ReadMention[],
): KnowledgeRecord {
  const { provider: _, storage_only: __, as_of: ___, site: ____, mentions: _____, ...shown } = content
  const entityIds = [...new Set(things.flatMap(({ entityId }) => entityId ?? []))]
  return {
    record_id: id as Id<'record'>,
    sandbox_id: sandboxId as Id<'sandbox'>,
    source_id: sourceId,
    project_id: projectId,
    ...(shown as Omit<KnowledgeRecord, 'record_id' | 'sandbox_id'>),
    canonical_ids: [...entityIds, id],
    mentions: [...mentions],
  }
}

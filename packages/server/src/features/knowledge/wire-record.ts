import type { Id, KnowledgeRecord } from '@cairn/contract'
import type { ReadRecord } from './read-records.ts'

/** A record as the contract shows it. */
export function wireRecord({ row, content, things }: ReadRecord, sandboxId: string): KnowledgeRecord {
  const { provider: _, storage_only: __, ...shown } = content
  const entityIds = [...new Set(things.flatMap(({ entityId }) => entityId ?? []))]
  return {
    record_id: row.id as Id<'record'>,
    sandbox_id: sandboxId as Id<'sandbox'>,
    source_id: row.sourceId ?? null,
    project_id: row.projectId ?? null,
    ...(shown as Omit<KnowledgeRecord, 'record_id' | 'sandbox_id'>),
    canonical_ids: [...entityIds, row.id],
  }
}

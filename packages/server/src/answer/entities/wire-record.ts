import type { Id, KnowledgeRecord } from '@cairn/contract'
import type { ReadRecord, ThingReference, ToldFact } from '@cairn/engine/resolve'
import type { ReadMention } from '../../store/mentions.ts'

/** A record as the contract shows it, with the names in its text. */
export function wireRecord(
  { id, sourceId, projectId, content, things }: ReadRecord,
  sandboxId: string,
  mentions: readonly ReadMention[],
): KnowledgeRecord {
  const { provider: _, storage_only: __, as_of: ___, site: ____, mentions: _____, facts, ...shown } = content
  const entityIds = [...new Set(things.flatMap(({ entityId }) => entityId ?? []))]
  return {
    record_id: id as Id<'record'>,
    sandbox_id: sandboxId as Id<'sandbox'>,
    source_id: sourceId,
    project_id: projectId,
    ...(shown as Omit<KnowledgeRecord, 'record_id' | 'sandbox_id'>),
    canonical_ids: [...entityIds, id],
    mentions: [...mentions],
    facts: (facts ?? []).map(toWire),
  }
}

function toWire({ subject, predicate, object, valid_from, start, end, confidence }: ToldFact) {
  const nameOf = (reference: ThingReference) => (typeof reference === 'string' ? reference : reference.name)
  const from = valid_from ?? null
  return { subject: nameOf(subject), predicate, object: nameOf(object), valid_from: from, start, end, confidence }
}

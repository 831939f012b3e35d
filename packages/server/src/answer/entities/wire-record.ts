import type { Id, KnowledgeRecord, RecordSummary } from '@cairnstore/contract'
import {
  FIELD_NAMES,
  type ReadRecord,
  type RecordContent,
  type ThingReference,
  type ToldFact,
} from '@cairnstore/engine/resolve'
import type { ReadMention } from '../../store/mentions.ts'

/** A record as the contract shows it, with the names in its text. */
export function wireRecord(
  { id, sourceId, projectId, content, things }: ReadRecord,
  sandboxId: string,
  mentions: readonly ReadMention[],
): KnowledgeRecord {
  const { provider, storage_only, as_of, site, mentions: _, from_owner, blocks, facts, ...shown } = content
  const entityIds = [...new Set(things.flatMap(({ entityId }) => entityId ?? []))]
  return {
    record_id: id as Id<'record'>,
    sandbox_id: sandboxId as Id<'sandbox'>,
    source_id: sourceId,
    project_id: projectId,
    ...(shown as Omit<KnowledgeRecord, 'record_id' | 'sandbox_id'>),
    ...basisOf(content),
    canonical_ids: [...entityIds, id],
    mentions: [...mentions],
    facts: (facts ?? []).map(toWire),
  }
}

/** Where each field that it has came from. */
function basisOf(content: RecordContent): Pick<KnowledgeRecord, 'basis'> {
  const known = FIELD_NAMES.filter((name) => content[name] !== undefined)
  if (known.length === 0) return {}
  return { basis: Object.fromEntries(known.map((name) => [name, content.basis?.[name] ?? 'source'])) }
}

function toWire({ subject, predicate, object, valid_from, start, end, confidence }: ToldFact) {
  const nameOf = (reference: ThingReference) => (typeof reference === 'string' ? reference : reference.name)
  const from = valid_from ?? null
  return { subject: nameOf(subject), predicate, object: nameOf(object), valid_from: from, start, end, confidence }
}

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

import type { Id, KnowledgeRecord, RecordSummary } from '@cairnstore/contract'
import {
  FIELD_NAMES,
  type ReadRecord,
  type RecordContent,
  type ThingReference,
  type ToldFact,
} from '@cairnstore/engine/resolve'
import type { ReadMention } from '../../store/mentions.ts'

const SNIPPET_CHARS_MAX = 300

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
  const from = valid_from ?? null
  return { subject: nameOf(subject), predicate, object: nameOf(object), valid_from: from, start, end, confidence }
}

/** A record as it is listed, with its source as far as that is shown. */
export function toSummary({ id, content }: ReadRecord, sourceId: string | null): RecordSummary {
  const { external_id, type, title = null, text, author, occurred_at = null, url = null } = content
  return {
    record_id: id as Id<'record'>,
    external_id,
    type,
    title,
    ...(text && { snippet: beginningOf(text) }),
    ...(author && { author: nameOf(author) }),
    occurred_at,
    source_id: sourceId,
    url,
  }
}

function nameOf(reference: ThingReference): string {
  return typeof reference === 'string' ? reference : reference.name
}

/** A character may be two code units: what is cut off behind the last of them is none in two. */
function beginningOf(text: string): string {
  return [...text.slice(0, 2 * SNIPPET_CHARS_MAX)].slice(0, SNIPPET_CHARS_MAX).join('')
}

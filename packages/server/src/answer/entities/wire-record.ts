import type { Id, KnowledgeRecord, RecordSummary } from '@cairnstore/contract'
import {
  type EntityReference,
  FIELD_NAMES,
  type ReadRecord,
  type RecordContent,
  type TextFact,
} from '@cairnstore/engine/resolve'
import type { ReadMention } from '../../store/mentions.ts'

const SNIPPET_CHARS_MAX = 300

/** Returns the wire form of a record, with the mentions in its text. */
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

/** Returns the origin of each field that is set. */
function basisOf(content: RecordContent): Pick<KnowledgeRecord, 'basis'> {
  const known = FIELD_NAMES.filter((name) => content[name] !== undefined)
  if (known.length === 0) return {}
  return { basis: Object.fromEntries(known.map((name) => [name, content.basis?.[name] ?? 'source'])) }
}

function toWire({ subject, predicate, object, valid_from, start, end, confidence }: TextFact) {
  const from = valid_from ?? null
  return { subject: nameOf(subject), predicate, object: nameOf(object), valid_from: from, start, end, confidence }
}

/** Returns the list form of a record. `sourceId` is null if the source is hidden. */
export function toSummary({ id, content }: ReadRecord, sourceId: string | null): RecordSummary {
  const { external_id, type, title = null, text, author, occurred_at = null, url = null } = content
  return {
    record_id: id as Id<'record'>,
    external_id,
    type,
    title,
    ...(text && { snippet: snippetOf(text) }),
    ...(author && { author: nameOf(author) }),
    occurred_at,
    source_id: sourceId,
    url,
  }
}

function nameOf(reference: EntityReference): string {
  return typeof reference === 'string' ? reference : reference.name
}

/** Returns the beginning of a text. Counts code points, so that no surrogate pair is split. */
function snippetOf(text: string): string {
  return [...text.slice(0, 2 * SNIPPET_CHARS_MAX)].slice(0, SNIPPET_CHARS_MAX).join('')
}

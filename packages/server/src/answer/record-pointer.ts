import {
  ANSWER_RECORDS_MAX,
  type Id,
  type InterpretCitation,
  type RecordPointer,
  SPANS_MAX,
  type TextSpan,
} from '@cairnstore/contract'
import type { RenderedPassage } from '@cairnstore/engine/answer'
import { type BriefRecord, locate, locatorsIn, shorten } from '@cairnstore/engine/answer'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { plainLine } from '@cairnstore/engine/text'
import { linkOf } from '../base/link.ts'
import { readRecords } from '../store/read-records.ts'
import type { ReadSnapshot } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { sourcesIn } from '../tenancy/sources/source-rows.ts'
import type { AnswerCtx } from './context.ts'

/** Maximum number of records that are named if there is no answer. */
const NEAREST_MAX = 3
/** Maximum tokens of text that represent a record without a title, and maximum characters that are read for them. */
const TITLE_TOKENS_MAX = 20
const TITLE_CHARS_MAX = 2_000

/** Sources by id, limited to those visible in the access scope. */
export type SourcesById = ReadonlyMap<string, { name: string; provider: string }>

export function toRecordPointer({ id, sourceId, content }: ReadRecord, sources: SourcesById): RecordPointer {
  const { title, text, type, occurred_at, properties } = content
  const url = linkOf(content.url)
  const source = sourceId ? sources.get(sourceId) : undefined
  const path = properties?.path
  return {
    record_id: id as Id<'record'>,
    type,
    title: shorten(plainLine((title ?? text ?? '').slice(0, TITLE_CHARS_MAX)), TITLE_TOKENS_MAX) || type,
    ...(url && { url }),
    ...(occurred_at && { occurred_at }),
    ...(source && { source_name: source.name }),
    ...(typeof path === 'string' && { path }),
  }
}

/** Returns the ids of the records that support the statements, in statement order, up to the limit of pointers. */
export function citedIds(statements: readonly { recordIds: readonly string[] }[]): string[] {
  return allCitedIds(statements).slice(0, ANSWER_RECORDS_MAX)
}

export function allCitedIds(statements: readonly { recordIds: readonly string[] }[]): string[] {
  return [...new Set(statements.flatMap(({ recordIds }) => recordIds))]
}

/** Returns the ids of the records closest to an unanswered question, best first. */
export function nearestIds(records: readonly BriefRecord[]): string[] {
  const byScore = [...records].sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
  return byScore.slice(0, NEAREST_MAX).map(({ id }) => id)
}

/** Returns pointers to records, in the order of the ids. Omits records outside the scope. */
export async function readPointers(
  ctx: Pick<AnswerCtx, 'sql'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  ids: readonly string[],
): Promise<RecordPointer[]> {
  const inScope = [...new Set(ids)]
    .filter((id) => view.graph.hasRecord(id, snapshot.scope))
    .slice(0, ANSWER_RECORDS_MAX)
  const records = [...(await readRecords(view, inScope)).values()]
  const sources = await readSources(ctx, access, records)
  return records.map((record) => toRecordPointer(record, sources))
}

/** Returns names and providers of the records' sources, limited to those visible in the access scope. */
export async function readSources(
  ctx: Pick<AnswerCtx, 'sql'>,
  access: AccessScope,
  records: readonly ReadRecord[],
): Promise<SourcesById> {
  const ids = [...new Set(records.flatMap(({ sourceId }) => sourceId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await ctx.sql.look(access.holderId, (tx) =>
    sourcesIn(tx, access).select(['id', 'name', 'provider']).where('id', 'in', ids),
  )
  return new Map(rows.map(({ id, name, provider }) => [id, { name, provider }]))
}

/** Maximum number of records that are searched for one statement. A statement with more is a computed count. */
const RECORDS_MAX = 10

/** A statement with its records and, if it is a quotation, its spans. */
type Located = Pick<RenderedPassage, 'text' | 'recordIds'> & Partial<Pick<RenderedPassage, 'spans'>>

/**
 * Returns the spans of each statement in its records, with page or section. If a statement has no spans, its words are
 * searched.
 */
export async function locateStatements(view: SandboxView, statements: readonly Located[]): Promise<TextSpan[][]> {
  const searched = statements.map(({ recordIds }) => recordIds.slice(0, RECORDS_MAX))
  const records = await readRecords(view, [...new Set(searched.flat())])
  return statements.map(({ text, spans = [] }, at) =>
    searched[at]!.flatMap((id) => {
      const content = records.get(id)?.content
      if (!content) return []
      const own = spans.filter(({ recordId }) => recordId === id)
      const found = own.length > 0 ? locatorsIn(content, own) : locate(text, content)
      return found.map((span) => ({ record_id: id as Id<'record'>, ...span }))
    }),
  )
}

/** Adds to each citation the spans taken from its records. */
export function withSpans(citations: readonly InterpretCitation[], spans: readonly TextSpan[]): InterpretCitation[] {
  return citations.map((citation) => {
    const own = spans.filter(({ record_id: id }) => citation.record_ids.includes(id)).slice(0, SPANS_MAX)
    return own.length > 0 ? { ...citation, spans: own } : citation
  })
}

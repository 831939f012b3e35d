import {
  type Id,
  type InterpretCitation,
  type RecordPointer,
  SPANS_MAX,
  type TextSpan,
  TOLD_RECORDS_MAX,
} from '@cairnstore/contract'
import type { Shown } from '@cairnstore/engine/answer'
import { type BriefRecord, locate, locatorsIn, shorten } from '@cairnstore/engine/answer'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { plainLine } from '@cairnstore/engine/text'
import { linkOf } from '../base/link.ts'
import type { Ground } from '../store/ground.ts'
import { readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { sourcesIn } from '../tenancy/sources/source-rows.ts'
import type { AnswerCtx } from './context.ts'

/** Records that a refusal names. */
const NEAREST_MAX = 3
/** Of a record without a title so much of its text, in tokens, is shown for one, and so much of it is looked at. */
const TITLE_TOKENS_MAX = 20
const TITLE_CHARS_MAX = 2_000

/** Sources by their ids, as far as a reach shows them. */
export type SourcesById = ReadonlyMap<string, { name: string; provider: string }>

/** A record as it is pointed to. */
export function pointTo({ id, sourceId, content }: ReadRecord, sources: SourcesById): RecordPointer {
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

/** The ids of the records that what is told rests on, in the order in which it is told, as many as are pointed to. */
export function toldIds(statements: readonly { recordIds: readonly string[] }[]): string[] {
  return allToldIds(statements).slice(0, TOLD_RECORDS_MAX)
}

/** Returns the ids of all records that statements rest on. */
export function allToldIds(statements: readonly { recordIds: readonly string[] }[]): string[] {
  return [...new Set(statements.flatMap(({ recordIds }) => recordIds))]
}

/** The ids of the records that came nearest to a question which none answers, best first. */
export function nearestIds(records: readonly BriefRecord[]): string[] {
  const byScore = [...records].sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
  return byScore.slice(0, NEAREST_MAX).map(({ id }) => id)
}

/** These records as they are pointed to, in the order of the ids; what is not in scope is left out. */
export async function readPointers(
  ctx: Pick<AnswerCtx, 'sql'>,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  ids: readonly string[],
): Promise<RecordPointer[]> {
  const inScope = [...new Set(ids)].filter((id) => view.graph.hasRecord(id, ground.scope)).slice(0, TOLD_RECORDS_MAX)
  const records = [...(await readRecords(view, inScope)).values()]
  const sources = await readSources(ctx, reach, records)
  return records.map((record) => pointTo(record, sources))
}

/** Names and providers of the sources that the records came through, as far as the reach shows these sources. */
export async function readSources(
  ctx: Pick<AnswerCtx, 'sql'>,
  reach: Reach,
  records: readonly ReadRecord[],
): Promise<SourcesById> {
  const ids = [...new Set(records.flatMap(({ sourceId }) => sourceId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await ctx.sql.look(reach.holderId, (tx) =>
    sourcesIn(tx, reach).select(['id', 'name', 'provider']).where('id', 'in', ids),
  )
  return new Map(rows.map(({ id, name, provider }) => [id, { name, provider }]))
}

/** Records of one statement in which it is looked for; a count of more was computed. */
const RECORDS_MAX = 10

/** A statement with its records and, for quoted statements, its spans. */
type Located = Pick<Shown, 'text' | 'recordIds'> & Partial<Pick<Shown, 'spans'>>

/**
 * Returns the spans of each statement in its records, with page or section. Statements without spans are located by
 * their words.
 */
export async function locateStatements(view: SandboxView, statements: readonly Located[]): Promise<TextSpan[][]> {
  const looked = statements.map(({ recordIds }) => recordIds.slice(0, RECORDS_MAX))
  const records = await readRecords(view, [...new Set(looked.flat())])
  return statements.map(({ text, spans = [] }, at) =>
    looked[at]!.flatMap((id) => {
      const content = records.get(id)?.content
      if (!content) return []
      const own = spans.filter(({ recordId }) => recordId === id)
      const found = own.length > 0 ? locatorsIn(content, own) : locate(text, content)
      return found.map((span) => ({ record_id: id as Id<'record'>, ...span }))
    }),
  )
}

/** The citations with what was taken from their records. */
export function withSpans(citations: readonly InterpretCitation[], spans: readonly TextSpan[]): InterpretCitation[] {
  return citations.map((citation) => {
    const own = spans.filter(({ record_id: id }) => citation.record_ids.includes(id)).slice(0, SPANS_MAX)
    return own.length > 0 ? { ...citation, spans: own } : citation
  })
}

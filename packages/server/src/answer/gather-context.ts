import type { ContextPassage, GatherContext, GatheredContext, Id } from '@cairnstore/contract'
import { type Citation, locatorOf, packPassages, tokensOf } from '@cairnstore/engine/answer'
import type { NamedEntity, ReadRecord } from '@cairnstore/engine/resolve'
import type { Intent } from '@cairnstore/engine/understand'
import { invalid } from '../base/fault.ts'
import { linkOf } from '../base/link.ts'
import { namesOf, readRecords } from '../store/read-records.ts'
import { openSnapshot, type ReadSnapshot } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { Answered } from './answer-meta.ts'
import { allWarnings } from './answer-meta.ts'
import { citeRecords } from './cite-records.ts'
import { deduplicateCopies } from './compose-answer.ts'
import type { AnswerCtx } from './context.ts'
import { intentNotes } from './intent-notes.ts'
import { withNamesOfIds } from './mentioned-by-id.ts'
import { withoutPaths } from './origins.ts'
import { pin } from './pin.ts'
import { embeddingWarnings, type RankedRecords, rankRecords } from './rank-records.ts'
import { parsePreset, readIntent, type WithPreset } from './read-intent.ts'
import { unresolvedIds } from './to-brief-record.ts'

const TOKENS = 2_000
/** Tokens per searched record: the number of records is the token limit divided by it, within bounds. */
const TOKENS_PER_RECORD = 25
const RECORDS = { min: 10, max: 60 }

const NOTHING_ASKED = 'Give a `query`, `items` or both.'
const NOTHING_FOUND = 'No record is relevant to the question.'
const NOTHING_KNOWN = 'None of the pinned ids is known.'
const DOES_NOT_FIT = 'No whole sentence fits into `max_tokens`.'

/** Returns the best passages for a question or for pinned items, within a token limit. */
export async function gatherContext(
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'key' | 'knowledge' | 'models' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
  given: GatherContext,
): Promise<Answered<GatheredContext>> {
  const { query, items } = given
  if (query === undefined && items === undefined) throw invalid(['body', 'query'], NOTHING_ASKED, 'missing')
  const { asked, notes } = parsePreset(access, given)
  const opened = await openSnapshot(ctx, access, asked.project_id)
  const { snapshot, view } = opened
  const tokensMax = asked.max_tokens ?? TOKENS
  const intent = await readIntent(ctx, { ...asked, query: query ?? '' }, view, snapshot)
  const waiting = asked.items ? [] : embeddingWarnings(ctx, opened, asked, intent)
  const found = await findPassages(ctx, access, opened, asked, intent, recordsFor(tokensMax))
  const ids = found.ranked.map(({ id }) => id)
  const records = await readRecords(view, ids)
  const weights = view.graph.weighTerms(intent.query, snapshot.scope)
  const { originals, copiesOf } = deduplicateCopies(
    found.ranked.flatMap(({ id, score }) => {
      const { content } = records.get(id) ?? {}
      return content ? [{ ...content, id, score, content: withoutPaths(content) }] : []
    }),
  )
  const packed = packPassages(originals, { stems: intent.stems, weights }, tokensMax)
  const names = namesOf(records.values())
  const passages = packed.map(({ recordId, text, score }) => toPassage(records.get(recordId)!, text, score, names))
  const failures = [...waiting, ...allWarnings(found.failures)]
  const read = await intentNotes(view, intent, ids)
  const fits = found.ranked.length === 0 || passages.length > 0
  return {
    reply: {
      passages,
      tokens: Math.ceil(passages.reduce((sum, { text, title = '' }) => sum + tokensOf(text) + tokensOf(title), 0)),
      citations: cite(passages, records, copiesOf),
      warnings: [...notes, ...read, ...found.notes, ...(fits ? [] : [DOES_NOT_FIT]), ...failures],
    },
    how: { warnings: [...notes, ...failures] },
  }
}

function recordsFor(tokensMax: number): number {
  return Math.min(RECORDS.max, Math.max(RECORDS.min, Math.ceil(tokensMax / TOKENS_PER_RECORD)))
}

interface FoundPassages {
  ranked: { id: string; score: number }[]
  failures: RankedRecords['failures']
  notes: string[]
}

async function findPassages(
  ctx: Pick<AnswerCtx, 'caller' | 'models' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
  opened: { snapshot: ReadSnapshot; view: SandboxView },
  asked: WithPreset<GatherContext>,
  intent: Intent,
  limit: number,
): Promise<FoundPassages> {
  const { snapshot, view } = opened
  if (asked.items) {
    const ranked = await pin(ctx, view, snapshot, { items: asked.items, preset: asked.preset }, intent)
    const unknown = unresolvedIds(view, snapshot.scope, asked.items).length
    const notes = ranked.length === 0 ? [NOTHING_KNOWN] : unknown > 0 ? [`${unknown} of the ids are unknown.`] : []
    return { ranked, failures: {}, notes }
  }
  const { ranked, failures } = await rankRecords(ctx, access, opened, { preset: asked.preset }, intent, limit)
  return { ranked, failures, notes: ranked.length === 0 ? [NOTHING_FOUND] : [] }
}

function toPassage(
  { id, content, things }: ReadRecord,
  said: string,
  score: number,
  names: ReadonlyMap<string, NamedEntity>,
): ContextPassage {
  const author = things.find(({ thing }) => thing.role === 'author')
  const name = (author?.entityId && names.get(author.entityId)?.name) || author?.thing.names[0]?.text
  const locator = locatorOf(said, content)
  const text = withNamesOfIds(said, { things }, names)
  const link = linkOf(content.url)
  return {
    text,
    record_id: id as Id<'record'>,
    ...(locator !== undefined && { locator }),
    ...(content.title && { title: content.title }),
    ...(name && { author: name }),
    ...(link && { url: link }),
    occurred_at: content.occurred_at ?? null,
    type: content.type,
    score,
  }
}

/** Returns the citations of the passages. Each passage is treated as a statement from its record. */
function cite(
  passages: readonly ContextPassage[],
  records: ReadonlyMap<string, ReadRecord>,
  copiesOf: (id: string) => readonly string[],
): GatheredContext['citations'] {
  const ids = [...new Set(passages.map(({ record_id }) => record_id))]
  const cited = ids.map((id) => ({ id, content: records.get(id)!.content }))
  const citations = citeRecords(
    cited.map(
      ({ id, content }): Citation => ({
        canonical_id: id,
        name: content.title ?? `${content.type} ${content.external_id}`,
        relevance: 1,
      }),
    ),
    passages.map(({ record_id }) => ({ recordIds: [record_id] })),
    cited.map(({ id, content }) => {
      const { type, title } = content
      const url = linkOf(content.url)
      return { id, type, ...(title && { title }), ...(url && { url }), entities: [] }
    }),
  )
  return citations.map((citation) => ({
    ...citation,
    record_ids: citation.record_ids.flatMap((id) => [id, ...copiesOf(id)] as Id<'record'>[]),
  }))
}

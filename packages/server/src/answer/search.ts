import type { Id, Preset, Search, SearchAnswer } from '@cairnstore/contract'
import type { Citation } from '@cairnstore/engine/answer'
import { abstain } from '@cairnstore/engine/answer'
import type { RankedRecord } from '@cairnstore/engine/rank'
import { terms } from '@cairnstore/engine/text'
import { describeIntent, type Intent, ownTerms } from '@cairnstore/engine/understand'
import { openSnapshot, type ReadSnapshot } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import { type AccessScope, assertStillAllowed } from '../tenancy/access/access-scope.ts'
import { answerBroad, type BroadAnswer, listWorkInPhases } from './answer-broad.ts'
import type { Answered } from './answer-meta.ts'
import { allWarnings, warningsOf, writtenBy } from './answer-meta.ts'
import { corpusOf, type Pinned } from './brief-input.ts'
import { citeRows } from './cite-records.ts'
import { composeAnswer } from './compose-answer.ts'
import type { AnswerCtx } from './context.ts'
import { intentNotes } from './intent-notes.ts'
import { BRIEF_TOKENS } from './interpret.ts'
import { ModelFailure } from './models/model.ts'
import { RETRIEVED_WEIGHT, withConversation, withUserFacts } from './pin.ts'
import { embeddingWarnings, type RankedRecords, rankRecords } from './rank-records.ts'
import { parsePreset, readIntent, type WithPreset } from './read-intent.ts'
import { allCitedIds, citedIds, locateStatements, readPointers, withSpans } from './record-pointer.ts'
import { answerFromRows } from './rows/answer-from-rows.ts'
import { answerFromSelect } from './rows/written/answer-from-select.ts'
import { unreadFor } from './unread-files.ts'

/** Maximum number of records for an answer and its default token limit, by level of detail. */
const LIMITS = {
  concise: { records: 10, tokens: BRIEF_TOKENS },
  detailed: { records: 20, tokens: 2 * BRIEF_TOKENS },
} as const
/** Number of best records around which `discover` searches again, and maximum number of records added for each. */
const EXPANDED_RECORDS_MAX = 5
const RECORDS_PER_EXPANSION = 4
/** Maximum entities of a record that are used for the second search. */
const ENTITIES_PER_RECORD = 2

const NOTHING_STORED = 'Nothing is stored here yet, so the question cannot be answered.'
const NO_ROWS = 'Typed rows do not answer this question. Use the preset `auto` to answer it from the texts of records.'

/** A parsed question with its caller, access scope and view of the sandbox. */
interface SearchContext {
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'models' | 'rows' | 'signal' | 'sql' | 'slot'>
  access: AccessScope
  opened: { snapshot: ReadSnapshot; view: SandboxView }
  asked: WithPreset<Search>
  intent: Intent
  /** True to stream the text of a model as it arrives. */
  isStreamed: boolean
}

/**
 * Answers a question from the stored records at one head: finds the relevant records and composes an answer. If
 * `isStreamed`, yields the text of a model as it arrives.
 */
export async function* search(
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'key' | 'knowledge' | 'models' | 'rows' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
  given: Search,
  isStreamed: boolean,
): AsyncGenerator<string, Answered<SearchAnswer>> {
  const startedMs = performance.now()
  const { asked, notes } = parsePreset(access, given)
  const opened = await openSnapshot(ctx, access, asked.project_id)
  const intent = await readIntent(ctx, asked, opened.view, opened.snapshot)
  const context = { ctx, access, opened, asked, intent, isStreamed }
  // "List the documents" is a table query if there are rows, although it looks like a question for everything.
  const isForRows = intent.broad?.of === 'everything' && intent.rowWordings.length > 0
  const [first, second] = isForRows ? [fromRows, fromBroad] : [fromBroad, fromRows]
  // "What is done?" asks for finished work if records declare phases. Otherwise it asks for an overview.
  const found =
    (intent.broad?.of === 'everything' ? await fromPhases(context) : undefined) ??
    (await first(context)) ??
    (await second(context)) ??
    (await fromPhases(context)) ??
    (yield* answerFromRecords(context))
  const { reply, how } = found
  const unread = reply.answered ? undefined : await unreadFor(ctx, access, opened.snapshot, ownTerms(intent.whole))
  return {
    reply: {
      ...reply,
      ...(unread && { answer: `${reply.answer} ${unread.sentence}`, unread: unread.unread }),
      warnings: [...notes, ...reply.warnings],
      ...(asked.explain && { intent: describeIntent(intent, opened.view, opened.snapshot.scope) }),
      ...writtenBy(ctx, how),
      execution_time_ms: Math.round((performance.now() - startedMs) * MICROSECONDS) / MICROSECONDS,
      sandbox_id: access.sandboxId as Id<'sandbox'>,
      project_id: opened.snapshot.projectId,
      query: asked.query,
    },
    how: { ...how, warnings: [...notes, ...(how.warnings ?? [])] },
  }
}

/** Factor that rounds milliseconds to three decimals. */
const MICROSECONDS = 1000

type Answer = Answered<Omit<SearchAnswer, 'execution_time_ms' | 'sandbox_id' | 'project_id' | 'query'>>

/** Answers a question about all work in certain phases. Only the phases that records declare count. */
async function fromPhases(context: SearchContext): Promise<Answer | undefined> {
  const { opened, asked, intent } = context
  if (!intent.phases || asked.preset === 'sql' || asked.preset === 'discover') return undefined
  return toBroadAnswer(context, await listWorkInPhases(opened, intent.phases, maxTokensOf(asked)))
}

/** Answers a question that asks for no single fact, with a profile of an entity or an overview. */
async function fromBroad(context: SearchContext): Promise<Answer | undefined> {
  const { ctx, access, opened, asked, intent } = context
  const preset = asked.preset ?? 'auto'
  const isBroad = intent.broad !== undefined && opened.view.graph.recordCount > 0
  if (!isBroad || preset === 'sql' || preset === 'discover') return undefined
  return toBroadAnswer(
    context,
    await answerBroad(ctx, access, opened, intent.broad!, {
      referenceDate: intent.referenceDate,
      maxTokens: maxTokensOf(asked),
      isDetailed: asked.detail_level === 'detailed',
    }),
  )
}

function maxTokensOf({ max_tokens: given, detail_level: detail }: WithPreset<Search>): number {
  return given ?? LIMITS[detail ?? 'concise'].tokens
}

/** Returns the answer for a profile, overview or list of work. */
async function toBroadAnswer(
  { ctx, access, opened, asked, intent }: SearchContext,
  broad: BroadAnswer | undefined,
): Promise<Answer | undefined> {
  if (!broad) return undefined
  const preset = asked.preset ?? 'auto'
  const { answer, citations, statements } = broad
  const spans = await locateStatements(opened.view, statements)
  const shown = statements.map(({ recordIds, ...statement }, at) => ({
    ...statement,
    record_ids: recordIds,
    spans: spans[at]!,
  }))
  return {
    reply: {
      outcome: 'answered',
      answered: true,
      answer,
      citations: withSpans(citations, spans.flat()),
      ...(isDetailed(asked) && {
        statements: shown,
        records: await readPointers(ctx, access, opened, citedIds(statements)),
      }),
      preset,
      warnings: await intentNotes(opened.view, intent, citedIds(statements)),
    },
    how: { usedRecords: { cited: allCitedIds(statements), retrieved: allCitedIds(statements) } },
  }
}

/** Returns true if the response includes the statements. */
function isDetailed({ explain, statements }: Search): boolean {
  return explain === true || statements === true
}

/** Answers from rows, for the preset `sql`, and for `auto` if the question looks like a table query. */
async function fromRows(context: SearchContext): Promise<Answer | undefined> {
  const { ctx, opened, asked, intent } = context
  const isWanted = asked.preset === 'sql'
  if (!isWanted && (asked.preset ?? 'auto') !== 'auto') return undefined
  const answered = await answerFromRows(ctx, opened, { intent, isWanted })
  if (!('refused' in answered)) {
    return {
      reply: { ...(await withCitations(context, answered)), answered: answered.outcome === 'answered', preset: 'sql' },
      how: {},
    }
  }
  return isWanted ? fromSelect(context, answered.refused) : undefined
}

/** Lets a configured model write the query if no plan was found. Without a model the question stays unanswered. */
async function fromSelect(context: SearchContext, refused: string): Promise<Answer> {
  const { ctx, access, opened, asked, intent } = context
  const preset: Preset = 'sql'
  const nothing = { ...unanswered(NO_ROWS), columns: [], rows: [], total_rows: 0, preset }
  const { writer } = ctx.models
  if (!writer) return { reply: { ...nothing, warnings: [refused] }, how: {} }
  try {
    const answered = await answerFromSelect(ctx, opened, {
      writer,
      accountId: access.holderId,
      query: asked.query,
      referenceDate: intent.referenceDate,
      earlierTurns: intent.conversation.turns,
    })
    await assertStillAllowed(ctx, access)
    if ('refused' in answered) {
      return { reply: { ...nothing, warnings: [refused, answered.refused] }, how: { mode: 'model' } }
    }
    return {
      reply: { ...(await withCitations(context, answered)), answered: true, preset },
      how: { mode: 'model' },
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    await assertStillAllowed(ctx, access)
    const warnings = warningsOf('writer', error.kind)
    return { reply: { ...nothing, warnings: [refused, ...warnings] }, how: { mode: 'extractive', warnings } }
  }
}

/** Returns the fields of a reply with the outcome `nothing`. */
function unanswered(answer: string): Pick<SearchAnswer, 'outcome' | 'answered' | 'answer' | 'citations'> {
  return { outcome: 'nothing', answered: false, answer, citations: [] }
}

/** Adds complete citations and record pointers to an answer from rows. */
async function withCitations<A extends { citations: Citation[]; behind: string[] }>(
  { ctx, access, opened, asked }: SearchContext,
  { citations, behind, ...answered }: A,
) {
  const { snapshot, view } = opened
  return {
    ...answered,
    citations: await citeRows(view, snapshot.scope, citations, behind),
    ...(asked.explain && { records: await readPointers(ctx, access, opened, behind) }),
  }
}

async function* answerFromRecords(context: SearchContext): AsyncGenerator<string, Answer> {
  const { ctx, access, opened, asked, intent, isStreamed } = context
  const detail = asked.detail_level ?? 'concise'
  const preset: Preset = asked.preset === 'fast' || asked.preset === 'discover' ? asked.preset : 'auto'
  const waiting = embeddingWarnings(ctx, opened, asked, intent)
  const { pinned: ranked, failures: unranked } = await findRecords(context, LIMITS[detail].records)
  const isOwner = access.role === 'owner'
  const { view, snapshot } = opened
  const withContext = withConversation(view, snapshot.scope, ranked, intent)
  const pinned = isOwner ? await withUserFacts(view, snapshot.scope, withContext, intent) : withContext
  if (pinned.length === 0) {
    const corpus = corpusOf(view, snapshot.scope)
    const maxTokens = maxTokensOf(asked)
    const refusal = abstain({
      asked: intent,
      emptyTime: intent.emptyTime,
      terms,
      corpus,
      maxTokens,
    }).brief
    const answer = corpus.records === 0 ? NOTHING_STORED : refusal
    const warnings = [...waiting, ...allWarnings(unranked)]
    return { reply: { ...unanswered(answer), preset, warnings: [...intent.notes, ...warnings] }, how: { warnings } }
  }
  const composed = yield* composeAnswer(ctx, access, opened, pinned, {
    intent,
    tuples: pinned.map(({ id, entityIds }) => [...entityIds, id]),
    maxTokens: maxTokensOf(asked),
    detail,
    isDetailed: isDetailed(asked),
    isOwner,
    ...(preset !== 'fast' && { writing: { isStreamed } }),
  })
  const failures = [...waiting, ...allWarnings({ ...unranked, ...composed.failures })]
  const ids = pinned.map(({ id }) => id)
  const how = {
    ...(composed.mode && { mode: composed.mode }),
    warnings: failures,
    usedRecords: { cited: composed.cited, retrieved: ids },
  }
  const warnings = [...(await intentNotes(opened.view, intent, ids)), ...failures]
  const { brief: answer, outcome, nearest, citations, statements, records, considered, threshold } = composed
  const details = {
    ...(nearest && { nearest }),
    ...(statements && { statements }),
    ...(records && { records }),
    ...(asked.explain && considered && { considered, ...(threshold !== undefined && { threshold }) }),
  }
  const answered = outcome === 'answered'
  return { reply: { outcome, answered, answer, citations, ...details, preset, warnings }, how }
}

interface FoundRecords {
  pinned: Pinned[]
  failures: RankedRecords['failures']
}

/** Returns the records that match the question. The `discover` preset adds records related to the best ones. */
async function findRecords(
  { ctx, access, opened, asked, intent }: SearchContext,
  limit: number,
): Promise<FoundRecords> {
  const { snapshot, view } = opened
  const { ranked, failures } = await rankRecords(ctx, access, opened, asked, intent, limit)
  const found = new Map(ranked.map((record, at) => [record.id, toPinned(record, 1, [at])]))
  if (asked.preset === 'discover') {
    const around = ranked.slice(0, EXPANDED_RECORDS_MAX).map(({ entityIds }) => entityIds.slice(0, ENTITIES_PER_RECORD))
    const tuples = around.filter((tuple) => tuple.length > 0)
    const expanded = await view.ranking.pinned(intent.query, snapshot.scope, tuples, RECORDS_PER_EXPANSION, ctx.signal)
    for (const record of expanded.flat()) {
      if (!found.has(record.id)) found.set(record.id, toPinned(record, RETRIEVED_WEIGHT, []))
    }
  }
  const pinned = [...found.values()].sort((one, other) => other.score - one.score)
  return { pinned, failures }
}

function toPinned({ id, score, entityIds, passages }: RankedRecord, weight: number, tuples: number[]): Pinned {
  return { id, score: score * weight, tuples, entityIds, ...(passages && { passages }) }
}

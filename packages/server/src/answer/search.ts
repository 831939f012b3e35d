import type { Id, Preset, Search, SearchAnswer } from '@cairnstore/contract'
import type { Citation } from '@cairnstore/engine/answer'
import { refuse } from '@cairnstore/engine/answer'
import type { RankedRecord } from '@cairnstore/engine/rank'
import { terms } from '@cairnstore/engine/text'
import { type Intent, ownTerms, showIntent } from '@cairnstore/engine/understand'
import { openSnapshot, type ReadSnapshot } from '../store/ground.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import { assertStillReached, type Reach } from '../tenancy/reach/reach.ts'
import { type Queried, readAsked, toQueried } from './asked-question.ts'
import { corpusOf, type Pinned } from './brief-input.ts'
import { citeRows } from './cite-records.ts'
import type { AnswerCtx } from './context.ts'
import { BRIEF_TOKENS } from './interpret.ts'
import { ModelFailure } from './models/model.ts'
import { RETRIEVED_WEIGHT, withOwnRecords, withSaidBeside } from './pin.ts'
import { allToldIds, locateStatements, readPointers, toldIds, withSpans } from './point-to.ts'
import { type RankedRecords, rankRecords, readingWarnings } from './rank-records.ts'
import { answerFromRows } from './rows/answer-from-rows.ts'
import { answerFromSelect } from './rows/written/answer-from-select.ts'
import { shownNotes } from './shown-notes.ts'
import { type BroadAnswer, tellBroad, tellInPhases } from './tell-broad.ts'
import { tellRecords } from './tell-records.ts'
import type { Answered } from './telling.ts'
import { allWarnings, warningsOf } from './telling.ts'
import { unreadFor } from './unread-files.ts'

/** Maximum records for an answer, and its default token limit, by level of detail. */
const ROOM = {
  concise: { records: 10, tokens: BRIEF_TOKENS },
  detailed: { records: 20, tokens: 2 * BRIEF_TOKENS },
} as const
/** Number of top records around which the `discover` preset searches again, and maximum records added for each. */
const LOOKED_AROUND = 5
const BROUGHT_BY_EACH = 4
/** Maximum entities of a record that are used for the second search. */
const ENTITIES_LOOKED_FOR = 2

const NOTHING_STORED = 'Nothing is stored here yet, so the question cannot be answered.'
const NO_ROWS = 'Typed rows do not answer this question. Use the preset `auto` to answer it from the texts of records.'

/** A parsed question with its caller, access scope and knowledge. */
interface InHand {
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'models' | 'rows' | 'signal' | 'sql' | 'turn'>
  reach: Reach
  opened: { snapshot: ReadSnapshot; view: SandboxView }
  asked: Queried<Search>
  intent: Intent
  /** True to stream the text of a model as it arrives. */
  isStreamed: boolean
}

/**
 * Answers a question from the stored knowledge. Finds the relevant records and composes an answer, at one head. If
 * `isStreamed`, yields the text of a model as it arrives.
 */
export async function* search(
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'key' | 'knowledge' | 'models' | 'rows' | 'signal' | 'sql' | 'turn'>,
  reach: Reach,
  given: Search,
  isStreamed: boolean,
): AsyncGenerator<string, Answered<SearchAnswer>> {
  const startedMs = performance.now()
  const { asked, notes } = toQueried(reach, given)
  const opened = await openSnapshot(ctx, reach, asked.project_id)
  const intent = await readAsked(ctx, asked, opened.view, opened.snapshot)
  const inHand = { ctx, reach, opened, asked, intent, isStreamed }
  // "List the documents" is a table query if there are rows, although it asks for no single fact.
  const isForRows = intent.broad?.of === 'everything' && intent.rowWordings.length > 0
  const [first, second] = isForRows ? [fromRows, fromWhole] : [fromWhole, fromRows]
  // "What is done?" asks for finished work if records declare phases, and not for an overview.
  const told =
    (intent.broad?.of === 'everything' ? await fromPhases(inHand) : undefined) ??
    (await first(inHand)) ??
    (await second(inHand)) ??
    (await fromPhases(inHand)) ??
    (yield* tell(inHand))
  const { reply, how } = told
  const unread = reply.answered ? undefined : await unreadFor(ctx, reach, opened.snapshot, ownTerms(intent.whole))
  return {
    reply: {
      ...reply,
      ...(unread && { answer: `${reply.answer} ${unread.sentence}`, unread: unread.unread }),
      warnings: [...notes, ...reply.warnings],
      ...(asked.explain && { intent: showIntent(intent, opened.view, opened.snapshot.scope) }),
      execution_time_ms: Math.round((performance.now() - startedMs) * MICROSECONDS) / MICROSECONDS,
      sandbox_id: reach.sandboxId as Id<'sandbox'>,
      project_id: opened.snapshot.projectId,
      query: asked.query,
    },
    how: { ...how, warnings: [...notes, ...(how.warnings ?? [])] },
  }
}

/** Factor that rounds milliseconds to three decimals. */
const MICROSECONDS = 1000

type Answer = Answered<Omit<SearchAnswer, 'execution_time_ms' | 'sandbox_id' | 'project_id' | 'query'>>

/** Answers a question for all work in certain phases, from what records declare. */
async function fromPhases(inHand: InHand): Promise<Answer | undefined> {
  const { opened, asked, intent } = inHand
  if (!intent.phases || asked.preset === 'sql' || asked.preset === 'discover') return undefined
  return whole(inHand, await tellInPhases(opened, intent.phases, maxTokensOf(asked)))
}

/** Answers a question for no single fact: with a profile of an entity or an overview. */
async function fromWhole(inHand: InHand): Promise<Answer | undefined> {
  const { ctx, reach, opened, asked, intent } = inHand
  const preset = asked.preset ?? 'auto'
  const isTold = intent.broad !== undefined && opened.view.graph.recordCount > 0
  if (!isTold || preset === 'sql' || preset === 'discover') return undefined
  return whole(
    inHand,
    await tellBroad(ctx, reach, opened, intent.broad!, {
      referenceDate: intent.referenceDate,
      maxTokens: maxTokensOf(asked),
      isDetailed: asked.detail_level === 'detailed',
    }),
  )
}

function maxTokensOf({ max_tokens: given, detail_level: detail }: Queried<Search>): number {
  return given ?? ROOM[detail ?? 'concise'].tokens
}

/** Returns the answer for a profile, overview or list of work. */
async function whole(
  { ctx, reach, opened, asked, intent }: InHand,
  told: BroadAnswer | undefined,
): Promise<Answer | undefined> {
  if (!told) return undefined
  const preset = asked.preset ?? 'auto'
  const { answer, citations, statements } = told
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
        records: await readPointers(ctx, reach, opened, toldIds(statements)),
      }),
      preset,
      warnings: await shownNotes(opened.view, intent, toldIds(statements)),
    },
    how: { rests: { cited: allToldIds(statements), retrieved: allToldIds(statements) } },
  }
}

/** Returns true if the response includes the statements. */
function isDetailed({ explain, statements }: Search): boolean {
  return explain === true || statements === true
}

/** Answers from typed rows, for the preset `sql` and for `auto` if the question has that form. */
async function fromRows(inHand: InHand): Promise<Answer | undefined> {
  const { ctx, opened, asked, intent } = inHand
  const isWanted = asked.preset === 'sql'
  if (!isWanted && (asked.preset ?? 'auto') !== 'auto') return undefined
  const answered = await answerFromRows(ctx, opened, { intent, isWanted })
  if (!('refused' in answered)) {
    return {
      reply: { ...(await cited(inHand, answered)), answered: answered.outcome === 'answered', preset: 'sql' },
      how: {},
    }
  }
  return isWanted ? fromSelect(inHand, answered.refused) : undefined
}

/** Lets a configured model write the query if no rule could. Otherwise the question stays unanswered. */
async function fromSelect(inHand: InHand, refused: string): Promise<Answer> {
  const { ctx, reach, opened, asked, intent } = inHand
  const preset: Preset = 'sql'
  const nothing = { ...unanswered(NO_ROWS), columns: [], rows: [], total_rows: 0, preset }
  const { writer } = ctx.models
  if (!writer) return { reply: { ...nothing, warnings: [refused] }, how: {} }
  try {
    const answered = await answerFromSelect(ctx, opened, {
      writer,
      accountId: reach.holderId,
      query: asked.query,
      referenceDate: intent.referenceDate,
      earlierTurns: intent.talk.turns,
    })
    await assertStillReached(ctx, reach)
    if ('refused' in answered) {
      return { reply: { ...nothing, warnings: [refused, answered.refused] }, how: { mode: 'model' } }
    }
    return {
      reply: { ...(await cited(inHand, answered)), answered: true, preset },
      how: { mode: 'model' },
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    await assertStillReached(ctx, reach)
    const warnings = warningsOf('writer', error.kind)
    return { reply: { ...nothing, warnings: [refused, ...warnings] }, how: { mode: 'extractive', warnings } }
  }
}

/** Returns the fields of a reply with the outcome `nothing`. */
function unanswered(answer: string): Pick<SearchAnswer, 'outcome' | 'answered' | 'answer' | 'citations'> {
  return { outcome: 'nothing', answered: false, answer, citations: [] }
}

/** Adds complete citations and record pointers to an answer from rows. */
async function cited<A extends { citations: Citation[]; behind: string[] }>(
  { ctx, reach, opened, asked }: InHand,
  { citations, behind, ...answered }: A,
) {
  const { snapshot, view } = opened
  return {
    ...answered,
    citations: await citeRows(view, snapshot.scope, citations, behind),
    ...(asked.explain && { records: await readPointers(ctx, reach, opened, behind) }),
  }
}

async function* tell(inHand: InHand): AsyncGenerator<string, Answer> {
  const { ctx, reach, opened, asked, intent, isStreamed } = inHand
  const detail = asked.detail_level ?? 'concise'
  const preset: Preset = asked.preset === 'fast' || asked.preset === 'discover' ? asked.preset : 'auto'
  const waiting = readingWarnings(ctx, opened, asked, intent)
  const { pinned: ranked, failures: unranked } = await find(inHand, ROOM[detail].records)
  const isTheirs = reach.role === 'owner'
  const { view, snapshot } = opened
  const said = withSaidBeside(view, snapshot.scope, ranked, intent)
  const pinned = isTheirs ? await withOwnRecords(view, snapshot.scope, said, intent) : said
  if (pinned.length === 0) {
    const corpus = corpusOf(view, snapshot.scope)
    const maxTokens = maxTokensOf(asked)
    const refusal = refuse({
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
  const told = yield* tellRecords(ctx, reach, opened, pinned, {
    intent,
    tuples: pinned.map(({ id, entityIds }) => [...entityIds, id]),
    maxTokens: maxTokensOf(asked),
    detail,
    isDetailed: isDetailed(asked),
    isTheirs,
    ...(preset !== 'fast' && { writing: { isStreamed } }),
  })
  const failures = [...waiting, ...allWarnings({ ...unranked, ...told.failures })]
  const ids = pinned.map(({ id }) => id)
  const how = {
    ...(told.mode && { mode: told.mode }),
    warnings: failures,
    rests: { cited: told.cited, retrieved: ids },
  }
  const warnings = [...(await shownNotes(opened.view, intent, ids)), ...failures]
  const { brief: answer, outcome, nearest, citations, statements, records, considered, threshold } = told
  const beside = {
    ...(nearest && { nearest }),
    ...(statements && { statements }),
    ...(records && { records }),
    ...(asked.explain && considered && { considered, ...(threshold !== undefined && { threshold }) }),
  }
  const answered = outcome === 'answered'
  return { reply: { outcome, answered, answer, citations, ...beside, preset, warnings }, how }
}

interface FoundRecords {
  pinned: Pinned[]
  failures: RankedRecords['failures']
}

/** Returns the records that match the question. The `discover` preset adds records around the best ones. */
async function find({ ctx, reach, opened, asked, intent }: InHand, limit: number): Promise<FoundRecords> {
  const { snapshot, view } = opened
  const { ranked, failures } = await rankRecords(ctx, reach, opened, asked, intent, limit)
  const found = new Map(ranked.map((record, at) => [record.id, toPinned(record, 1, [at])]))
  if (asked.preset === 'discover') {
    const around = ranked.slice(0, LOOKED_AROUND).map(({ entityIds }) => entityIds.slice(0, ENTITIES_LOOKED_FOR))
    const tuples = around.filter((tuple) => tuple.length > 0)
    const brought = await view.ranking.pinned(intent.query, snapshot.scope, tuples, BROUGHT_BY_EACH, ctx.signal)
    for (const record of brought.flat()) {
      if (!found.has(record.id)) found.set(record.id, toPinned(record, RETRIEVED_WEIGHT, []))
    }
  }
  const pinned = [...found.values()].sort((one, other) => other.score - one.score)
  return { pinned, failures }
}

function toPinned({ id, score, entityIds, passages }: RankedRecord, weight: number, tuples: number[]): Pinned {
  return { id, score: score * weight, tuples, entityIds, ...(passages && { passages }) }
}

import type { AnswerStatement, ConsideredStatement, Id, InterpretCitation, RecordPointer } from '@cairnstore/contract'
import {
  type Answer,
  answerQuestion,
  answerThreshold,
  type BriefInput,
  type BriefRecord,
  comparisonInput,
  type SemanticScores,
} from '@cairnstore/engine/answer'
import type { ReadRecord, StoredContent } from '@cairnstore/engine/resolve'
import { questionText } from '@cairnstore/engine/understand'
import type { ReadSnapshot } from '../store/read-snapshot.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import { type AccessScope, assertStillAllowed } from '../tenancy/access/access-scope.ts'
import { waitForModel } from './answer-meta.ts'
import { type AnswerOptions, type Pinned, readBriefInput } from './brief-input.ts'
import { citeRecords } from './cite-records.ts'
import type { AnswerCtx } from './context.ts'
import { ModelFailure, type ModelFailureKind } from './models/model.ts'
import { allCitedIds, citedIds, locateStatements, nearestIds, readSources, withSpans } from './record-pointer.ts'
import { writeBrief } from './written/write-brief.ts'

/** A composed answer. `mode` is undefined if no model was requested. */
interface ComposedAnswer {
  /** Outcome of the question. Unless it is `answered`, `nearest` lists the most relevant records. */
  outcome: Answer['outcome']
  nearest?: RecordPointer[]
  brief: string
  citations: InterpretCitation[]
  /** Ids of the records that support the statements. */
  cited: readonly string[]
  statements?: AnswerStatement[]
  /** Pointers to the records that support the statements. */
  records?: RecordPointer[]
  considered?: ConsideredStatement[]
  /** Minimum probability at which the records count as an answer. */
  threshold?: number
  mode?: 'model' | 'extractive'
  /** Failures of the models that should have written the answer or compared statements. */
  failures: { writer?: ModelFailureKind; embedder?: ModelFailureKind }
}

/**
 * Composes an answer from records, in which every statement is supported by them. If a model is configured and
 * requested, it writes the answer, which is yielded as it arrives. Otherwise, or if the model fails, the answer
 * consists of quotations and computed statements and is returned as a whole. Cites only ids that are known in the
 * scope. Throws `not_found` if the caller loses access while the model writes.
 */
export async function* composeAnswer(
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'models' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  pinned: readonly Pinned[],
  options: AnswerOptions,
): AsyncGenerator<string, ComposedAnswer> {
  const isByMeaning = options.writing !== undefined && ctx.models.embedder !== undefined && view.graph.vectorCount > 0
  const asked = { ...options, isByMeaning }
  const readBriefSources = (records: readonly ReadRecord[]) => readSources(ctx, access, records)
  const read = await readBriefInput(view, snapshot.scope, pinned, asked, readBriefSources)
  const { isKnown, ownEntities, pointers } = read
  const { originals, copiesOf } = deduplicateCopies(read.input.records)
  const deduplicated = { ...read.input, records: withTuples(originals, copiesOf, read.input.records) }
  const { meant, ...compared } = await compareSemantically(ctx, access, deduplicated, options)
  const input = meant === undefined ? deduplicated : { ...deduplicated, meant }
  const {
    statements: ofOriginals,
    considered,
    failure,
    ...composed
  } = yield* writeOrCompose(ctx, access, input, options)
  const statements = withCopies(ofOriginals, copiesOf)
  const spans = await locateStatements(view, statements)
  const firstLocator = new Map(
    spans
      .flat()
      .map(({ record_id: id, locator }) => [id as string, locator] as const)
      .reverse(),
  )
  return {
    ...composed,
    cited: allCitedIds(statements),
    failures: { ...compared.failures, ...(failure && { writer: failure }) },
    ...(composed.outcome !== 'answered' &&
      input.records.length > 0 && { nearest: pointers(nearestIds(input.records)) }),
    citations: withSpans(
      citeRecords(
        composed.citations.filter(({ canonical_id: id }) => isKnown(id)),
        statements,
        originals.flatMap((record) => {
          const own = ownEntities.get(record.id)
          return [record.id, ...copiesOf(record.id)].map((id) => ({ ...record, id, own }))
        }),
      ),
      spans.flat(),
    ),
    ...(options.isDetailed && {
      threshold: answerThreshold(input.meant),
      considered: considered.map(({ recordId, ...statement }) => ({
        record_id: recordId as Id<'record'>,
        ...statement,
      })),
      statements: statements.map(({ text, computed, recordIds }, at) => ({
        text,
        record_ids: [...recordIds],
        ...(computed !== undefined && { computed }),
        spans: spans[at]!,
      })),
      ...(composed.outcome !== 'nothing' && {
        records: pointers(citedIds(statements)).map((pointer) => {
          const locator = firstLocator.get(pointer.record_id)
          return locator === undefined ? pointer : { ...pointer, locator }
        }),
      }),
    }),
  }
}

/** Adds the tuples of each copy to its original. */
function withTuples(
  originals: readonly BriefRecord[],
  copiesOf: (id: string) => readonly string[],
  records: readonly BriefRecord[],
): BriefRecord[] {
  const tuples = new Map(records.map((record) => [record.id, record.tuples]))
  return originals.map((record) => {
    const others = copiesOf(record.id).flatMap((id) => tuples.get(id) ?? [])
    return others.length === 0 ? record : { ...record, tuples: [...new Set([...record.tuples, ...others])] }
  })
}

/** Scores the best statements by semantic similarity, if the encoder supports the question's language. */
async function compareSemantically(
  ctx: Pick<AnswerCtx, 'caller' | 'models' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
  input: BriefInput,
  { writing, intent }: AnswerOptions,
): Promise<{ meant?: SemanticScores; failures?: ComposedAnswer['failures'] }> {
  const { embedder } = ctx.models
  if (writing === undefined || !embedder?.compare || !embedder.understands(questionText(intent.wording))) return {}
  const { question, texts } = comparisonInput(input)
  if (texts.length === 0) return {}
  const found = await waitForModel(ctx, access, async () =>
    embedder.compare?.(questionText(question), texts, ctx.signal),
  )
  if ('failure' in found) return { failures: { embedder: found.failure } }
  const compared = found.result
  if (!compared) return {}
  const { words, termScores, similarities } = compared
  return {
    meant: {
      words,
      texts: new Map(texts.map((text, at) => [text, { said: termScores[at]!, alike: similarities[at]! }])),
    },
  }
}

async function* writeOrCompose(
  ctx: Pick<AnswerCtx, 'caller' | 'models' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
  input: BriefInput,
  { writing, intent }: AnswerOptions,
): AsyncGenerator<string, Answer & Pick<ComposedAnswer, 'mode'> & { failure?: ModelFailureKind }> {
  const { writer, embedder } = ctx.models
  const composed = answerQuestion(input)
  if (!writer || !writing || input.records.length === 0) return composed
  // While the request waits for the model, others may use its scheduler slot.
  ctx.slot.end()
  const parts = writeBrief(input, {
    ...writing,
    composed,
    earlierTurns: intent.conversation.turns,
    writer,
    supports: embedder?.supports,
    accountId: access.holderId,
    signal: ctx.signal,
  })
  try {
    for (;;) {
      const part = await parts.next()
      await assertStillAllowed(ctx, access)
      if (part.done) return { ...part.value, mode: 'model' }
      yield part.value
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    await assertStillAllowed(ctx, access)
    return { ...composed, mode: 'extractive', failure: error.kind }
  } finally {
    await parts.return(composed)
  }
}

/** The fields of a record that are compared to find copies. */
interface CopyFields extends Pick<StoredContent, 'text' | 'properties'> {
  readonly id: string
  readonly type: string
  readonly score: number
}

/** Distinct records, and the ids of each record's copies. */
interface Deduplicated<R> {
  readonly originals: R[]
  copiesOf(id: string): readonly string[]
}

/**
 * Removes copies of files with equal text. The text is then used and cited once, with all its locations. The most
 * relevant copy counts as the original. Other records are never copies, because two people may write the same text.
 */
export function deduplicateCopies<R extends CopyFields>(records: readonly R[]): Deduplicated<R> {
  const byText = new Map<string, R[]>()
  for (const record of records) {
    const { type, text, properties } = record
    if (typeof properties?.path !== 'string' || !text) continue
    const key = `${type}\n${text}`
    byText.set(key, [...(byText.get(key) ?? []), record])
  }
  const copies = new Map<string, string[]>()
  const isCopy = new Set<string>()
  for (const same of byText.values()) {
    const [original, ...others] = same.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    const ids = others.map(({ id }) => id)
    copies.set(original!.id, ids)
    for (const id of ids) isCopy.add(id)
  }
  return { originals: records.filter(({ id }) => !isCopy.has(id)), copiesOf: (id) => copies.get(id) ?? [] }
}

/** Adds the copies of each supporting record to the statements. */
function withCopies(
  statements: Answer['statements'],
  copiesOf: Deduplicated<unknown>['copiesOf'],
): Answer['statements'] {
  return statements.map((statement) => ({
    ...statement,
    recordIds: statement.recordIds.flatMap((id) => [id, ...copiesOf(id)]),
  }))
}

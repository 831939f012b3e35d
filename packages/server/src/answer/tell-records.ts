import type { InterpretCitation, ToldStatement } from '@cairn/contract'
import { type Brief, type BriefInput, composeBrief } from '@cairn/engine/compose'
import type { ReadRecord } from '@cairn/engine/resolve'
import { terms } from '@cairn/engine/text'
import { type Intent, type Sought, tellingText } from '@cairn/engine/understand'
import type { Ground } from '../store/ground.ts'
import { knownByIdAlone, namesOf, readNaming, readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { assertStillReached } from '../tenancy/reach/still-reached.ts'
import { sourcesIn } from '../tenancy/sources/source-rows.ts'
import { citeRecords } from './cite-records.ts'
import type { Ctx } from './context.ts'
import { ownEntity } from './entities/known-thing.ts'
import { ModelFailure, type ModelFailureKind } from './models/model.ts'
import { toBriefRecord, unresolvedIds } from './to-brief-record.ts'
import { writeBrief } from './written/write-brief.ts'

/** A record to tell of, and the tuples it stands for. */
export interface Pinned {
  id: string
  /** In (0, 1]. */
  score: number
  /** Indexes of tuples; none for a record that was found around them. */
  tuples: number[]
  entityIds: readonly string[]
}

/** What is asked of the records, and how long the answer may be. */
export interface Telling {
  intent: Intent
  tuples: string[][]
  maxTokens: number
  detail?: 'concise' | 'detailed'
  /** Whether the statements are given with their grounds. */
  explain: boolean | null | undefined
  /** How a model may write, where one is configured; without it none is asked. */
  writing?: { isStreamed: boolean }
}

/** What was told, and by whom: without `mode` no model was to be asked. */
export interface Told {
  brief: string
  citations: InterpretCitation[]
  statements?: ToldStatement[]
  mode?: 'model' | 'extractive'
  /** Why the model that was asked did not write it. */
  failure?: ModelFailureKind
}

/**
 * Tells what the records say to the question, in a brief whose every statement rests on them. A model writes it where
 * one is configured and wanted, and gives its pieces as they come; when it fails, and otherwise, the brief is taken and
 * computed from the records and comes whole. What it cites is known in the scope. Throws `not_found` when the caller
 * lost its reach while the model wrote.
 */
export async function* tellRecords(
  ctx: Pick<Ctx, 'caller' | 'clock' | 'models' | 'signal' | 'sql' | 'turn'>,
  reach: Reach,
  { ground, view }: { ground: Ground; view: SandboxView },
  pinned: readonly Pinned[],
  telling: Telling,
): AsyncGenerator<string, Told> {
  const unresolved = unresolvedIds(view, ground.scope, telling.tuples)
  const records = await readRecords(
    view,
    pinned.map(({ id }) => id),
  )
  const sources = await readSources(ctx, reach, [...records.values()])
  const naming = await readNaming(view, ground.scope, toLookUp(records), records)
  const names = namesOf([...records.values(), ...naming])
  const { intent } = telling
  const input: BriefInput = {
    query: intent.text,
    asked: intent,
    terms,
    referenceDate: intent.referenceDate,
    records: pinned.flatMap((ranked) => {
      const record = records.get(ranked.id)
      return record ? [toBriefRecord(withTellingText(record, intent.sought), ranked, names, sources)] : []
    }),
    tuples: telling.tuples,
    unresolvedIds: unresolved,
    maxTokens: telling.maxTokens,
    ...(telling.detail && { detail: telling.detail }),
  }
  const { statements, ...told } = yield* writeOrCompose(ctx, reach, input, telling)
  const cited = told.citations.filter(({ canonical_id: id }) => records.has(id) || names.has(id))
  return {
    ...told,
    citations: citeRecords(
      cited,
      statements,
      input.records.map((record) => ({ ...record, own: ownEntity(records.get(record.id)) })),
    ),
    ...(telling.explain && {
      statements: statements.map(({ recordIds, ...statement }) => ({ ...statement, record_ids: recordIds })),
    }),
  }
}

/** The record with that of a long text which has to do with the question. */
function withTellingText(record: ReadRecord, sought: Sought): ReadRecord {
  const { content } = record
  return content.text ? { ...record, content: { ...content, text: tellingText(content.text, sought) } } : record
}

/** Entities whose names are looked up in other records than those that are told. */
const LOOKED_UP_MAX = 40

/** Writers, as a message often has no more of its writer than a login, and what is known by an id alone. */
function toLookUp(records: ReadonlyMap<string, ReadRecord>): string[] {
  const things = [...records.values()].flatMap((record) => record.things)
  const writers = things.flatMap(({ thing, entityId }) => (thing.role === 'author' && entityId) || [])
  return [...new Set([...writers, ...knownByIdAlone(records.values())])].slice(0, LOOKED_UP_MAX)
}

async function* writeOrCompose(
  ctx: Pick<Ctx, 'caller' | 'models' | 'signal' | 'sql' | 'turn'>,
  reach: Reach,
  input: BriefInput,
  { writing, intent }: Telling,
): AsyncGenerator<string, Brief & Pick<Told, 'mode' | 'failure'>> {
  const { writer } = ctx.models
  const composed = composeBrief(input)
  if (!writer || !writing || input.records.length === 0) return composed
  // Waiting for the model is no work: others take their turns meanwhile.
  ctx.turn.end()
  const parts = writeBrief(input, {
    ...writing,
    earlierTurns: intent.talk.turns,
    writer,
    accountId: reach.holderId,
    signal: ctx.signal,
  })
  try {
    for (;;) {
      const part = await parts.next()
      await assertStillReached(ctx, reach)
      if (part.done) return { ...part.value, mode: 'model' }
      yield part.value
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    await assertStillReached(ctx, reach)
    return { ...composed, mode: 'extractive', failure: error.kind }
  } finally {
    await parts.return(composed)
  }
}

/** Names and providers of the sources that the records came through, as far as the reach shows these sources. */
async function readSources(
  ctx: Pick<Ctx, 'sql'>,
  reach: Reach,
  records: readonly ReadRecord[],
): Promise<Map<string, { name: string; provider: string }>> {
  const ids = [...new Set(records.flatMap(({ sourceId }) => sourceId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await ctx.sql.transact(reach.holderId, (tx) =>
    sourcesIn(tx, reach).select(['id', 'name', 'provider']).where('id', 'in', ids).execute(),
  )
  return new Map(rows.map(({ id, name, provider }) => [id, { name, provider }]))
}

import type { Id, Interpret, Interpretation } from '@cairn/contract'
import type { RankedRecord } from '@cairn/engine/rank'
import { type Intent, showIntent } from '@cairn/engine/understand'
import { type Ground, openGround } from '../store/ground.ts'
import type { SandboxView } from '../store/sandbox-view.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { readAsked } from './asked-question.ts'
import type { Pinned } from './brief-input.ts'
import type { Ctx } from './context.ts'
import { assertQueryable } from './question.ts'
import { tellRecords } from './tell-records.ts'
import { type How, warningsOf } from './telling.ts'

/** Records a brief is composed from; what is pinned beyond them is the least relevant to the question. */
const RECORDS_MAX = 40
/** Records that a tuple of entities may bring, so that a hub does not crowd out the other tuples. */
const RECORDS_PER_TUPLE_MAX = 10
/** Records that the `discover` preset adds to the pinned ones. */
const RETRIEVED_AROUND = 10
/** A brief of one or two paragraphs fits into this many tokens. */
export const BRIEF_TOKENS = 600
/** What a record that was found around the pinned ones weighs beside one of them. */
export const RETRIEVED_WEIGHT = 0.8

/** A reply with how it was told. */
export interface Answered<Reply> {
  reply: Reply
  how: How
}

/**
 * Summarises pinned tuples in a brief whose every statement rests on their records. What a model writes of it is given
 * as it comes when it is wanted so.
 */
export async function* interpret(
  ctx: Pick<Ctx, 'caller' | 'clock' | 'key' | 'knowledge' | 'models' | 'signal' | 'sql' | 'turn'>,
  reach: Reach,
  asked: Interpret,
  isStreamed: boolean,
): AsyncGenerator<string, Answered<Interpretation>> {
  assertQueryable(reach, asked.preset)
  const { ground, view } = await openGround(ctx, reach, asked.project_id)
  const intent = await readAsked(ctx, asked, view, ground)
  const pinned = pin(view, ground, asked, intent)
  const told = yield* tellRecords(ctx, reach, { ground, view }, pinned, {
    intent,
    tuples: asked.items,
    maxTokens: asked.max_tokens ?? BRIEF_TOKENS,
    explain: asked.explain,
    ...(asked.preset !== 'fast' && { writing: { isStreamed } }),
  })
  return {
    reply: {
      answered: told.answered,
      ...(told.nearest && { nearest: told.nearest }),
      brief: told.brief,
      items: asked.items,
      sandbox_id: reach.sandboxId as Id<'sandbox'>,
      query: asked.query,
      citations: told.citations,
      ...(told.statements && { statements: told.statements, intent: showIntent(intent, view, ground.scope) }),
      project_id: ground.projectId,
    },
    how: { ...(told.mode && { mode: told.mode }), warnings: warningsOf('writer', told.failure) },
  }
}

/** The records that the tuples stand for, the most relevant first. */
function pin(view: SandboxView, ground: Ground, asked: Interpret, { query, fullQuery, times }: Intent): Pinned[] {
  const { scope } = ground
  const tuples = asked.items.map((tuple) => tuple.map(view.canonical))
  const pinned = new Map<string, Pinned>()
  const add = (record: RankedRecord, tuple: number | null, weight: number) => {
    const known = pinned.get(record.id) ?? { id: record.id, score: 0, tuples: [], entityIds: record.entityIds }
    pinned.set(record.id, {
      ...known,
      score: Math.max(known.score, record.score * weight),
      tuples: tuple === null ? known.tuples : [...known.tuples, tuple],
    })
  }
  // A record's own id pins that record; its entities, which come along in an item's ids, need bring no others.
  for (const [tuple, records] of view.graph.rankPinned(fullQuery, scope, tuples, RECORDS_PER_TUPLE_MAX).entries()) {
    for (const record of records) add(record, tuple, 1)
  }
  if (asked.preset === 'discover') {
    const found = view.graph.rank(query, scope, RETRIEVED_AROUND, times)
    for (const record of found) add(record, null, RETRIEVED_WEIGHT)
  }
  return firstOfEachTuple([...pinned.values()])
}

/** Every tuple keeps its best record; the rest of the room goes to the best of all. */
function firstOfEachTuple(pinned: Pinned[]): Pinned[] {
  const byScore = pinned.sort((one, other) => other.score - one.score)
  const served = new Set<number>()
  const firsts = new Set<Pinned>()
  for (const record of byScore) {
    if (!record.tuples.some((tuple) => !served.has(tuple))) continue
    firsts.add(record)
    for (const tuple of record.tuples) served.add(tuple)
  }
  const others = byScore.filter((record) => !firsts.has(record))
  const kept = new Set([...firsts, ...others].slice(0, RECORDS_MAX))
  return byScore.filter((record) => kept.has(record))
}

import type { Id, Interpret, Interpretation } from '@cairnstore/contract'
import { showIntent } from '@cairnstore/engine/understand'
import { openSnapshot } from '../store/ground.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { readAsked, toQueried } from './asked-question.ts'
import type { AnswerCtx } from './context.ts'
import { pin } from './pin.ts'
import { readingWarnings } from './rank-records.ts'
import { tellRecords } from './tell-records.ts'
import { type Answered, allWarnings } from './telling.ts'

/** Default token limit of a brief: one or two paragraphs. */
export const BRIEF_TOKENS = 600

/**
 * Composes a brief on pinned tuples. Every statement is supported by their records. If `isStreamed`, yields the text of
 * a model as it arrives.
 */
export async function* interpret(
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'key' | 'knowledge' | 'models' | 'signal' | 'sql' | 'turn'>,
  reach: Reach,
  given: Interpret,
  isStreamed: boolean,
): AsyncGenerator<string, Answered<Interpretation>> {
  const { asked, notes } = toQueried(reach, given)
  const opened = await openSnapshot(ctx, reach, asked.project_id)
  const { snapshot, view } = opened
  const intent = await readAsked(ctx, asked, view, snapshot)
  const waiting = readingWarnings(ctx, opened, asked, intent)
  const pinned = await pin(ctx, view, snapshot, asked, intent)
  const told = yield* tellRecords(ctx, reach, opened, pinned, {
    intent,
    tuples: asked.items,
    maxTokens: asked.max_tokens ?? BRIEF_TOKENS,
    isDetailed: asked.explain === true || asked.statements === true,
    isTheirs: reach.role === 'owner',
    arePinned: true,
    ...(asked.preset !== 'fast' && { writing: { isStreamed } }),
  })
  return {
    reply: {
      outcome: told.outcome,
      answered: told.outcome === 'answered',
      ...(told.nearest && { nearest: told.nearest }),
      brief: told.brief,
      items: asked.items,
      sandbox_id: reach.sandboxId as Id<'sandbox'>,
      query: asked.query,
      citations: told.citations,
      ...(told.statements && { statements: told.statements }),
      ...(asked.explain && told.considered && { considered: told.considered }),
      ...(asked.explain && told.threshold !== undefined && { threshold: told.threshold }),
      ...(asked.explain && { intent: showIntent(intent, view, snapshot.scope) }),
      ...(told.records && { records: told.records }),
      project_id: snapshot.projectId,
    },
    how: {
      ...(told.mode && { mode: told.mode }),
      warnings: [...notes, ...waiting, ...allWarnings(told.failures)],
      rests: { cited: told.cited, retrieved: pinned.map(({ id }) => id) },
    },
  }
}

import type { Id, Interpret, Interpretation } from '@cairnstore/contract'
import { describeIntent } from '@cairnstore/engine/understand'
import { openSnapshot } from '../store/read-snapshot.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { type Answered, allWarnings, writtenBy } from './answer-meta.ts'
import { composeAnswer } from './compose-answer.ts'
import type { AnswerCtx } from './context.ts'
import { pin } from './pin.ts'
import { embeddingWarnings } from './rank-records.ts'
import { parsePreset, readIntent } from './read-intent.ts'

/** Default token limit of a brief, which is one or two paragraphs. */
export const BRIEF_TOKENS = 600

/**
 * Composes a brief about pinned tuples. Every statement is supported by their records. If `isStreamed`, yields the text
 * of a model as it arrives.
 */
export async function* interpret(
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'key' | 'knowledge' | 'models' | 'signal' | 'sql' | 'slot'>,
  access: AccessScope,
  given: Interpret,
  isStreamed: boolean,
): AsyncGenerator<string, Answered<Interpretation>> {
  const { asked, notes } = parsePreset(access, given)
  const opened = await openSnapshot(ctx, access, asked.project_id)
  const { snapshot, view } = opened
  const intent = await readIntent(ctx, asked, view, snapshot)
  const waiting = embeddingWarnings(ctx, opened, asked, intent)
  const pinned = await pin(ctx, view, snapshot, asked, intent)
  const composed = yield* composeAnswer(ctx, access, opened, pinned, {
    intent,
    tuples: asked.items,
    maxTokens: asked.max_tokens ?? BRIEF_TOKENS,
    isDetailed: asked.explain === true || asked.statements === true,
    isOwner: access.role === 'owner',
    arePinned: true,
    ...(asked.preset !== 'fast' && { writing: { isStreamed } }),
  })
  return {
    reply: {
      outcome: composed.outcome,
      answered: composed.outcome === 'answered',
      ...(composed.nearest && { nearest: composed.nearest }),
      brief: composed.brief,
      items: asked.items,
      sandbox_id: access.sandboxId as Id<'sandbox'>,
      query: asked.query,
      citations: composed.citations,
      ...(composed.statements && { statements: composed.statements }),
      ...(asked.explain && composed.considered && { considered: composed.considered }),
      ...(asked.explain && composed.threshold !== undefined && { threshold: composed.threshold }),
      ...(asked.explain && { intent: describeIntent(intent, view, snapshot.scope) }),
      ...(composed.records && { records: composed.records }),
      ...writtenBy(ctx, composed),
      project_id: snapshot.projectId,
    },
    how: {
      ...(composed.mode && { mode: composed.mode }),
      warnings: [...notes, ...waiting, ...allWarnings(composed.failures)],
      usedRecords: { cited: composed.cited, retrieved: pinned.map(({ id }) => id) },
    },
  }
}

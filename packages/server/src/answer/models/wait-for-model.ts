import { assertStillReached, type Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { ModelFailure, type ModelFailureKind } from './model.ts'

/** Waits for a model, which is no work: others take their turns. Throws `not_found` when the reach was lost by then. */
export async function waitForModel<T>(
  ctx: Pick<Ctx, 'caller' | 'sql' | 'turn'>,
  reach: Reach,
  ask: () => Promise<T>,
): Promise<{ result: T } | { failure: ModelFailureKind }> {
  ctx.turn.end()
  try {
    const result = await ask()
    await assertStillReached(ctx, reach)
    return { result }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    await assertStillReached(ctx, reach)
    return { failure: error.kind }
  }
}

import type { Planes } from '../../store/planes.ts'
import { ModelFailure, type ModelFailureKind, type ModelUse } from './model.ts'

/**
 * Runs a request to a model for an account, which is charged with what it used. Throws a ModelFailure, whose kind is
 * `busy` when as many requests as are allowed are with the model, and `resting` for a while after it failed again and
 * again.
 */
export type Guard = <T>(accountId: string, request: () => AsyncGenerator<T, ModelUse>) => AsyncGenerator<T, void>

/** Requests that may be with the model at once; an answer without it is there at once, so none wait. */
export const GUARD_LIMITS = { atOnce: 64, atOnceOfAccount: 16, failuresInRow: 5, restMs: 15_000 }
type GuardLimits = typeof GUARD_LIMITS

/** Failures after which the next request would most likely fail the same way. */
const DOWN: ReadonlySet<ModelFailureKind> = new Set(['timeout', 'rate_limited', 'unreachable', 'failed'])

/** What the guard works with; `count` charges an account with what the model used. */
interface GuardTools extends Pick<Planes, 'clock' | 'log'> {
  count(accountId: string, use: ModelUse): Promise<void>
}

/** Opens what stands before a model: it bounds each account, leaves the model alone while it is down, and counts. */
export function openGuard(tools: GuardTools, limits: GuardLimits = GUARD_LIMITS): Guard {
  const atWork = new Map<string, number>()
  let working = 0
  let failuresInRow = 0
  let restsSinceMs = Number.NEGATIVE_INFINITY
  const now = () => tools.clock.now().getTime()

  const begin = (accountId: string) => {
    const restedMs = now() - restsSinceMs
    if (restedMs >= 0 && restedMs < limits.restMs) throw new ModelFailure('resting')
    const own = atWork.get(accountId) ?? 0
    if (working >= limits.atOnce || own >= limits.atOnceOfAccount) throw new ModelFailure('busy')
    working += 1
    atWork.set(accountId, own + 1)
  }
  const end = (accountId: string) => {
    working -= 1
    const left = (atWork.get(accountId) ?? 1) - 1
    if (left === 0) atWork.delete(accountId)
    else atWork.set(accountId, left)
  }
  const note = ({ kind, cause }: ModelFailure) => {
    tools.log.warn('the model was of no use', { reason: kind, error: cause })
    failuresInRow = DOWN.has(kind) ? failuresInRow + 1 : 0
    if (failuresInRow < limits.failuresInRow) return
    // One failure after the rest is enough to let it rest again.
    failuresInRow = limits.failuresInRow - 1
    restsSinceMs = now()
  }
  const count = async (accountId: string, use: ModelUse | undefined) => {
    if (use === undefined) return
    try {
      await tools.count(accountId, use)
    } catch (error) {
      // The answer is there; it is not thrown away because it could not be counted.
      tools.log.error('what the model used could not be counted', { accountId, error })
    }
  }

  return async function* guard(accountId, request) {
    begin(accountId)
    try {
      const use = yield* request()
      failuresInRow = 0
      await count(accountId, use)
    } catch (error) {
      if (error instanceof ModelFailure) {
        note(error)
        await count(accountId, error.use)
      }
      throw error
    } finally {
      end(accountId)
    }
  }
}

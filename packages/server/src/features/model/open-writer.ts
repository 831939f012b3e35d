import type { Static, TSchema } from '@cairn/contract'
import type { Planes } from '../handler.ts'
import { type Asked, type Model, ModelFailure, type ModelFailureKind, type ModelUse } from './model.ts'

/** The model as the program uses it: bounded for each account, left alone while it is down, and counted. */
export interface Writer {
  /**
   * What the model answers, for an account that is charged with it. Throws a ModelFailure, whose kind is `busy` when as
   * many requests as are allowed are with it, and `resting` for a while after it failed again and again.
   */
  ask<S extends TSchema>(accountId: string, asked: Asked<S>): AsyncGenerator<Static<S>, void>
}

/** Requests that may be with the model at once; an answer without it is there at once, so none wait. */
export const WRITER_LIMITS = { atOnce: 64, atOnceOfAccount: 16, failuresInRow: 5, restMs: 15_000 }
export type WriterLimits = typeof WRITER_LIMITS

/** Failures after which the next request would most likely fail the same way. */
const DOWN: ReadonlySet<ModelFailureKind> = new Set(['timeout', 'rate_limited', 'unreachable', 'failed'])

/** What the writer works with; `count` charges an account with what the model used. */
export interface WriterTools extends Pick<Planes, 'clock' | 'log'> {
  count(accountId: string, use: ModelUse): Promise<void>
}

/** Opens the writer over a model. */
export function openWriter(model: Model, tools: WriterTools, limits: WriterLimits = WRITER_LIMITS): Writer {
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

  return {
    async *ask(accountId, asked) {
      begin(accountId)
      try {
        const use = yield* model.ask(asked)
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
    },
  }
}

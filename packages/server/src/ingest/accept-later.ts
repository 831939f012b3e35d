import { MS_PER_SECOND } from '../base/clock.ts'
import type { Wait } from '../tenancy/handler.ts'
import type { IngestCtx } from './context.ts'

/** A delivery. If it takes long, the reply is sent early and the delivery continues in the background. */
export interface AcceptedLater {
  /** Aborts when the sender disconnects before the reply, or after the reply when the process stops. */
  readonly signal: AbortSignal
  /** Waits for an acceptance in progress and throws its error. If there is none, prevents one from starting. */
  settled(): Promise<void>
  end(): void
}

/** Milliseconds after which a delivery becomes a job whose id the sender gets, unless the sender waits longer. */
const ACCEPT_DELAY_MS = 2_000

/** Calls `accept` if reading takes long. Without `accept`, or if it returns false, the sender waits to the end. */
export function acceptLater(
  ctx: Pick<IngestCtx, 'signal' | 'stopping'>,
  accept: (() => Promise<boolean>) | undefined,
  { seconds }: Pick<Wait, 'seconds'>,
): AcceptedLater {
  if (!accept) {
    return {
      get signal() {
        return ctx.signal
      },
      settled: async () => undefined,
      end: () => undefined,
    }
  }
  const { signal: gone, stopping } = ctx
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  gone.addEventListener('abort', leave)
  let accepting: Promise<void> | undefined
  const begin = async () => {
    if (!(await accept())) return
    gone.removeEventListener('abort', leave)
    stopping.addEventListener('abort', leave)
    if (stopping.aborted) leave()
  }
  const timer = setTimeout(
    () => {
      accepting = begin()
      // `settled` throws the same error. This only prevents an unhandled rejection.
      accepting.catch(() => undefined)
    },
    Math.max(ACCEPT_DELAY_MS, seconds * MS_PER_SECOND),
  )
  return {
    signal: leaving.signal,
    settled: async () => {
      clearTimeout(timer)
      await accepting
    },
    end: () => {
      clearTimeout(timer)
      gone.removeEventListener('abort', leave)
      stopping.removeEventListener('abort', leave)
    },
  }
}

import { MS_PER_SECOND } from '../base/clock.ts'
import type { Wait } from '../tenancy/handler.ts'
import type { IngestCtx } from './context.ts'

/** A delivery that continues in the background after its reply when it takes long. */
export interface AcceptedLater {
  /** Aborts when the sender disconnects before the reply, or when the process shuts down after the reply. */
  readonly signal: AbortSignal
  /** Awaits an acceptance that is in progress and rethrows its error; otherwise prevents one from starting. */
  settled(): Promise<void>
  end(): void
}

/** A delivery that takes longer than this and than the sender's own wait continues as a job; the reply has its id. */
const ACCEPT_DELAY_MS = 2_000

/** Calls `accept` once reading takes long. Without `accept`, or if it returns false, the sender waits to the end. */
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
      // `settled` rethrows the error; this only prevents an unhandled rejection.
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

import { MS_PER_SECOND } from '../base/clock.ts'
import type { Wait } from '../tenancy/handler.ts'
import type { IngestCtx } from './context.ts'

/** What is read on after its reply when that takes long. */
export interface AcceptedLater {
  /** Aborted when nobody waits for it: its sender has gone before the reply, or the process is to end after it. */
  readonly signal: AbortSignal
  /** Waits for the reply when it is being made, else makes none; throws what making it throws. */
  settled(): Promise<void>
  end(): void
}

/** What is read for longer than this, and than its sender would wait, goes on as a job that the reply names. */
const ACCEPT_MS = 2_000

/** Calls `accept` when reading takes long; without it, and where it gives false, the sender waits to the end. */
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
      // Whoever reads hears of it at the end.
      accepting.catch(() => undefined)
    },
    Math.max(ACCEPT_MS, seconds * MS_PER_SECOND),
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

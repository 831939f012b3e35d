import type { Ctx } from './context.ts'

/** What is read on after its reply when that takes long. */
interface AcceptedLater {
  /** Aborted when nobody waits for it: its sender has gone before the reply, or the process is to end after it. */
  readonly signal: AbortSignal
  /** Waits for the reply when it is being made, else makes none; throws what making it throws. */
  settled(): Promise<void>
  end(): void
}

/** What is read for longer goes on as a job of which the reply tells. */
const ACCEPT_MS = 2_000

/** Calls `accept` when reading takes long; without it the sender waits to the end. */
export function acceptLater(
  ctx: Pick<Ctx, 'signal' | 'stopping'>,
  accept: (() => Promise<void>) | undefined,
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
    await accept()
    gone.removeEventListener('abort', leave)
    stopping.addEventListener('abort', leave)
    if (stopping.aborted) leave()
  }
  const timer = setTimeout(() => {
    accepting = begin()
    // Whoever reads hears of it at the end.
    accepting.catch(() => undefined)
  }, ACCEPT_MS)
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

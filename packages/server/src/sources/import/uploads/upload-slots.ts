import { Fault } from '../../../base/fault.ts'

/** Limits the concurrent uploads of one process and shares the slots fairly among accounts. */
export type UploadSlots = ReturnType<typeof openUploadSlots>

export interface UploadSlot {
  /** Aborts with a fault when the upload is preempted by one of another account. */
  readonly signal: AbortSignal
  /** Marks the upload as completely received. It can no longer be preempted. */
  received(): void
  /** Releases the slot. Further calls do nothing. */
  release(): void
}

/** Maximum number of concurrent uploads, in total and per account. */
interface SlotLimits {
  total: number
  accountTotal: number
}

/** Each upload needs at most two file descriptors and little memory. */
const LIMITS: SlotLimits = { total: 64, accountTotal: 4 }
const RETRY_SECONDS = 5

interface ActiveUpload {
  isArriving: boolean
  eviction: AbortController
}

/**
 * Opens the slots of a process. When all slots are in use, an account may preempt an upload of an account that has at
 * least two more uploads. The account with the most loses its latest upload that is still being received. A few slow
 * accounts therefore cannot lock out the others.
 */
export function openUploadSlots({ total, accountTotal }: SlotLimits = LIMITS) {
  const accounts = new Map<string, Set<ActiveUpload>>()
  const waiting = new Set<() => void>()
  const count = () => [...accounts.values()].reduce((sum, { size }) => sum + size, 0)

  /** Returns the upload to preempt for an account that already has `others` uploads. */
  const findEvictable = (others: number): ActiveUpload | undefined => {
    const busiestFirst = [...accounts.values()].sort((one, other) => other.size - one.size)
    for (const uploads of busiestFirst) {
      if (uploads.size <= others + 1) return undefined
      const arriving = [...uploads].reverse().find(({ isArriving }) => isArriving)
      if (arriving) return arriving
    }
    return undefined
  }

  const release = (accountId: string, upload: ActiveUpload) => {
    const uploads = accounts.get(accountId)
    if (!uploads?.delete(upload)) return
    if (uploads.size === 0) accounts.delete(accountId)
    if (accounts.size > 0) return
    for (const notify of waiting) notify()
    waiting.clear()
  }

  return {
    /**
     * Takes a slot. Throws `rate_limited` if the account uses all of its own slots. Throws `unavailable` if all slots
     * are in use and no other account has at least two more than this one.
     */
    take: (accountId: string) => {
      const own = accounts.get(accountId) ?? new Set()
      if (own.size >= accountTotal)
        throw new Fault('rate_limited', { detail: ACCOUNT_BUSY, retryAfterSeconds: RETRY_SECONDS })
      if (count() >= total) {
        const excess = findEvictable(own.size)
        if (!excess) throw new Fault('unavailable', { detail: ALL_BUSY, retryAfterSeconds: RETRY_SECONDS })
        const holder = [...accounts].find(([, uploads]) => uploads.has(excess))?.[0] ?? ''
        release(holder, excess)
        excess.eviction.abort(new Fault('unavailable', { detail: EVICTED, retryAfterSeconds: RETRY_SECONDS }))
      }
      const upload: ActiveUpload = { isArriving: true, eviction: new AbortController() }
      accounts.set(accountId, own.add(upload))
      return {
        signal: upload.eviction.signal,
        received: () => {
          upload.isArriving = false
        },
        release: () => release(accountId, upload),
      }
    },
    count,
    /** Resolves when no upload is in progress. */
    idle: async () => {
      if (accounts.size > 0) await new Promise<void>((resolve) => waiting.add(resolve))
    },
  }
}

const ACCOUNT_BUSY = 'Your other uploads are still being read. Send this one again when they are done.'
const ALL_BUSY = 'All upload slots are in use. Wait for the seconds in Retry-After, then send this one again.'
const EVICTED = 'All upload slots were in use, and your account had the most uploads. Send this one again.'

/** Yields chunks until the signal aborts, then throws the signal's reason, even while it waits for a chunk. */
export async function* untilAborted<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted()
  const reading = chunks[Symbol.asyncIterator]()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => undefined)
  try {
    for (;;) {
      const next = await Promise.race([reading.next(), aborted])
      if (next.done) return
      yield next.value
    }
  } finally {
    // Not awaited: a generator returns only after its pending chunk has arrived or its connection has ended.
    reading.return?.()?.catch(() => undefined)
  }
}

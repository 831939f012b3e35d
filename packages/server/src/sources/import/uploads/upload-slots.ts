import { Fault } from '../../../base/fault.ts'

/** Limits the uploads that one process has under way, and shares them among accounts. */
export interface UploadSlots {
  /**
   * Takes a slot. Throws `rate_limited` when the account has all of its own in use, and `unavailable` when all are in
   * use and no other account has more than one to give up.
   */
  take(accountId: string): UploadSlot
  /** Uploads under way. */
  count(): number
  /** Resolves when no upload is under way. */
  idle(): Promise<void>
}

/** The place of one upload among those under way. */
export interface UploadSlot {
  /** Aborted with a fault when the upload has to make room for another account's. */
  readonly signal: AbortSignal
  /** All of it has arrived: it is not asked to make room any more. */
  received(): void
  /** Gives the slot back; only the first call counts. */
  release(): void
}

/** How many uploads may be under way, of all accounts and of one. */
interface SlotLimits {
  total: number
  ownTotal: number
}

/** Each takes up to two open files of the system, and little memory. */
const LIMITS: SlotLimits = { total: 64, ownTotal: 4 }
const RETRY_SECONDS = 5

/** An upload under way. */
interface UnderWay {
  isArriving: boolean
  makeRoom: AbortController
}

/**
 * Opens the slots of a process. When all are in use, an account that has fewer than another gets one of the other's:
 * of the account with the most, the upload that began last and is still arriving ends. So a few accounts that send
 * slowly cannot keep the others out.
 */
export function openUploadSlots({ total, ownTotal }: SlotLimits = LIMITS): UploadSlots {
  const accounts = new Map<string, Set<UnderWay>>()
  const waiting = new Set<() => void>()
  const count = () => [...accounts.values()].reduce((sum, { size }) => sum + size, 0)

  /** The upload that ends for one of an account with so many others. */
  const findExcess = (others: number): UnderWay | undefined => {
    const richestFirst = [...accounts.values()].sort((one, other) => other.size - one.size)
    for (const uploads of richestFirst) {
      if (uploads.size <= others + 1) return undefined
      const arriving = [...uploads].reverse().find(({ isArriving }) => isArriving)
      if (arriving) return arriving
    }
    return undefined
  }

  const release = (accountId: string, upload: UnderWay) => {
    const uploads = accounts.get(accountId)
    if (!uploads?.delete(upload)) return
    if (uploads.size === 0) accounts.delete(accountId)
    if (accounts.size > 0) return
    for (const tell of waiting) tell()
    waiting.clear()
  }

  return {
    take: (accountId) => {
      const own = accounts.get(accountId) ?? new Set()
      if (own.size >= ownTotal) throw new Fault('rate_limited', { detail: OWN_BUSY, retryAfterSeconds: RETRY_SECONDS })
      if (count() >= total) {
        const excess = findExcess(own.size)
        if (!excess) throw new Fault('unavailable', { detail: ALL_BUSY, retryAfterSeconds: RETRY_SECONDS })
        const holder = [...accounts].find(([, uploads]) => uploads.has(excess))?.[0] ?? ''
        release(holder, excess)
        excess.makeRoom.abort(new Fault('unavailable', { detail: MADE_ROOM, retryAfterSeconds: RETRY_SECONDS }))
      }
      const upload: UnderWay = { isArriving: true, makeRoom: new AbortController() }
      accounts.set(accountId, own.add(upload))
      return {
        signal: upload.makeRoom.signal,
        received: () => {
          upload.isArriving = false
        },
        release: () => release(accountId, upload),
      }
    },
    count,
    idle: () => new Promise((resolve) => (accounts.size === 0 ? resolve() : void waiting.add(resolve))),
  }
}

const OWN_BUSY = 'Your other uploads are still being read. Send this one again when they are done.'
const ALL_BUSY = 'All uploads that the service takes at once are in use. Send this one again after Retry-After.'
const MADE_ROOM = 'The service is full, and your account had the most uploads under way. Send this one again.'

/** Yields what comes until the signal aborts; then throws the signal's reason, also while the next piece is awaited. */
export async function* untilAborted<T>(pieces: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted()
  const reading = pieces[Symbol.asyncIterator]()
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
    // Not awaited: a generator returns only once the piece that it waits for has come, or its connection has ended.
    reading.return?.()?.catch(() => undefined)
  }
}

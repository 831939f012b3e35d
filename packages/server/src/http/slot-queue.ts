import type { ServerResponse } from 'node:http'
import type { Operation } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import type { ActivityGauge } from '../base/yield-point.ts'
import { Stream } from '../tenancy/handler.ts'
import type { HttpCtx } from './context.ts'
import type { LoopShares, Share } from './event-loop.ts'

/** Fair queue for request slots. A burst of requests of one tenant delays only the requests of that tenant. */
export interface SlotQueue {
  /**
   * Resolves with a function that releases the slot, when the tenant's request may run. Throws `unavailable` if the
   * queue is full or too slow, or the caller disconnects. Throws `ownExcess` if it is full of the tenant's own
   * requests.
   */
  acquire(tenant: string, gone: () => AbortSignal): Promise<ReleaseSlot>
  /** Returns the number of running and waiting requests. */
  count(): number
}

/** Releases a slot. Calling it again does nothing. */
export interface ReleaseSlot {
  (): void
  /** The request's share of the event loop. It can pause and resume while the slot is held. */
  readonly share: Share
}

/** Limits of a queue: running and waiting requests, in total and per tenant, and maximum wait in milliseconds. */
export interface SlotLimits {
  running: number
  runningOfTenant: number
  waiting: number
  waitingOfTenant: number
  waitMs: number
  /** The fault that is thrown if the tenant's own requests fill the queue. */
  ownExcess: 'rate_limited' | 'unavailable'
}

/** Requests with separate slots: CPU-intensive, streams and long waits, public system pages, and other. */
export type SlotClass = 'question' | 'flow' | 'public' | 'other'

/**
 * Limits for questions. Computing a question cannot be interrupted, so more concurrent questions would only wait for
 * each other. A rejected caller may retry at once.
 */
const QUESTIONS = {
  running: 32,
  runningOfTenant: 8,
  waiting: 4_000,
  waitingOfTenant: 400,
  waitMs: 1_000,
  ownExcess: 'rate_limited',
} as const
/** Limits for uploads, downloads and requests that wait for background work. They need little more than a socket. */
const FLOWS = {
  running: 4_000,
  runningOfTenant: 250,
  waiting: 8_000,
  waitingOfTenant: 1_000,
  waitMs: 10_000,
  ownExcess: 'unavailable',
} as const
/**
 * Limits for other requests. Their number equals that of the database's connections. They wait at most as long as a
 * transaction waits for a connection.
 */
const OTHERS = {
  running: 64,
  runningOfTenant: 16,
  waiting: 16_000,
  waitingOfTenant: 2_000,
  waitMs: 10_000,
  ownExcess: 'unavailable',
} as const

/** Limits for public requests. They have few slots, because a monitor requests these pages only every few seconds. */
const PUBLIC = {
  running: 2,
  runningOfTenant: 1,
  waiting: 200,
  waitingOfTenant: 50,
  waitMs: 2_000,
  ownExcess: 'unavailable',
} as const

/** Limits for parsing large bodies. The parsed value is several times as large as the body. */
export const PARSING_LIMITS: SlotLimits = {
  running: 2,
  runningOfTenant: 1,
  waiting: 1_000,
  waitingOfTenant: 100,
  waitMs: 30_000,
  ownExcess: 'rate_limited',
}

/** Default limits of one process. */
export const SLOT_LIMITS: Readonly<Record<SlotClass, SlotLimits>> = {
  question: QUESTIONS,
  flow: FLOWS,
  public: PUBLIC,
  other: OTHERS,
}

/** Public paths that are slow to answer. */
const PUBLIC_PATHS: readonly string[] = ['/openapi.json', '/metrics']

/** Returns the class of an operation's requests; undefined if they need no slot. */
export function slotClassOf({ path, access, body, reply, headers, calls }: Operation): SlotClass | undefined {
  if (PUBLIC_PATHS.includes(path)) return 'public'
  if (access === 'public' || access === 'sender' || calls) return undefined
  if (path.startsWith('/api/v1/query/')) return 'question'
  const mayWait = 'prefer' in ((headers as { properties?: object } | undefined)?.properties ?? {})
  return body?.ndjson !== undefined || reply?.stream !== undefined || mayWait ? 'flow' : 'other'
}

const RETRY_SECONDS = 1

interface Waiter {
  go(release: ReleaseSlot): void
}

/** Used without fair sharing: every request may run. */
const UNSHARED: Pick<LoopShares, 'mayBegin' | 'spentMs' | 'begin'> = {
  mayBegin: () => true,
  spentMs: () => 0,
  begin: () => ({ pause: () => undefined, resume: async () => undefined }),
}

interface QueueServices {
  /** Counts the running requests. */
  counted?: ActivityGauge
  /** Fair sharing of the event loop. */
  shares?: LoopShares
}

/**
 * Opens a queue with these limits. The next slot goes to the waiting tenant that has used the least event loop time.
 * Among equals it goes to the one that has waited longest for a slot.
 */
export function openSlotQueue(limits: SlotLimits, { counted, shares: given }: QueueServices = {}): SlotQueue {
  const shares = given ?? UNSHARED
  const runningByTenant = new Map<string, number>()
  const queues = new Map<string, Set<Waiter>>()
  let running = 0
  let waiting = 0

  const hasFreeSlot = (tenant: string) =>
    running < limits.running && (runningByTenant.get(tenant) ?? 0) < limits.runningOfTenant
  const isFree = (tenant: string) => hasFreeSlot(tenant) && shares.mayBegin(tenant)

  const begin = (tenant: string): ReleaseSlot => {
    running += 1
    runningByTenant.set(tenant, (runningByTenant.get(tenant) ?? 0) + 1)
    const end = counted?.begin()
    const share = shares.begin(tenant)
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      end?.()
      running -= 1
      const left = (runningByTenant.get(tenant) ?? 1) - 1
      if (left === 0) runningByTenant.delete(tenant)
      else runningByTenant.set(tenant, left)
      share.pause()
      startNext()
    }
    return Object.assign(release, { share })
  }

  const removeWaiter = (tenant: string, line: Set<Waiter>, waiter: Waiter): boolean => {
    if (!line.delete(waiter)) return false
    waiting -= 1
    if (line.size === 0) queues.delete(tenant)
    return true
  }

  const nextTenant = (): string | undefined => {
    let next: string | undefined
    for (const tenant of queues.keys()) {
      const isBefore = next === undefined || shares.spentMs(tenant) < shares.spentMs(next)
      if (isBefore && isFree(tenant)) next = tenant
    }
    return next
  }

  const startNext = () => {
    for (let tenant = nextTenant(); tenant !== undefined; tenant = nextTenant()) {
      const line = queues.get(tenant) as Set<Waiter>
      const [next] = line
      // Moves the tenant to the end of the round-robin order.
      queues.delete(tenant)
      queues.set(tenant, line)
      if (next !== undefined && removeWaiter(tenant, line, next)) next.go(begin(tenant))
    }
  }
  given?.onFree(startNext)

  const wait = (tenant: string, gone: AbortSignal): Promise<ReleaseSlot> => {
    const line = queues.get(tenant) ?? new Set()
    if (line.size >= limits.waitingOfTenant) throw overload(limits.ownExcess)
    if (waiting >= limits.waiting) throw overload('unavailable')
    queues.set(tenant, line)
    waiting += 1
    return waitForSlot(
      (waiter) => void line.add(waiter),
      (waiter) => {
        if (!removeWaiter(tenant, line, waiter)) return undefined
        const isOwn = (runningByTenant.get(tenant) ?? 0) >= limits.runningOfTenant || !shares.mayBegin(tenant)
        return overload(isOwn ? limits.ownExcess : 'unavailable')
      },
      { waitMs: limits.waitMs, gone },
    )
  }

  return {
    acquire: async (tenant, gone) => (isFree(tenant) && !queues.has(tenant) ? begin(tenant) : wait(tenant, gone())),
    count: () => running + waiting,
  }
}

/** Resolves when the waiting request gets a slot. Rejects with the fault of `giveUp` on timeout or disconnection. */
function waitForSlot(
  join: (waiter: Waiter) => void,
  giveUp: (waiter: Waiter) => Fault | undefined,
  { waitMs, gone }: { waitMs: number; gone: AbortSignal },
): Promise<ReleaseSlot> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      const fault = giveUp(waiter)
      if (!fault) return
      settle()
      reject(fault)
    }
    const timer = setTimeout(leave, waitMs)
    const settle = () => {
      clearTimeout(timer)
      gone.removeEventListener('abort', leave)
    }
    const waiter: Waiter = {
      go: (release) => {
        settle()
        resolve(release)
      },
    }
    join(waiter)
    gone.addEventListener('abort', leave)
    if (gone.aborted) leave()
  })
}

function overload(name: SlotLimits['ownExcess']): Fault {
  return new Fault(name, {
    detail: 'Too many concurrent requests. Send fewer in parallel, and retry this one after Retry-After.',
    retryAfterSeconds: RETRY_SECONDS,
  })
}

/** Queue and tenant of a request. If there is no account, the tenant is the address. */
interface SlotRequest {
  of: SlotQueue
  tenant: string
  /** True if the request may last as long as its caller wants. It then mostly waits for the caller. */
  isLong: boolean
  /** Called when the slot is taken. */
  begun?: (share: Share) => void
}

/** Milliseconds for which a long request counts as running. After that it mostly waits. */
const RUNNING_MS = 250

/**
 * Runs `work` with a slot. The slot is released when the work ends, when its streamed response ends, or earlier by the
 * work.
 */
export async function withSlot<T>(
  slot: SlotRequest,
  ctx: Pick<HttpCtx, 'signal' | 'slot'>,
  reply: ServerResponse,
  work: () => Promise<T>,
): Promise<T> {
  const release = await slot.of.acquire(slot.tenant, () => ctx.signal)
  ctx.slot.end = release
  const { rest } = ctx.slot
  ctx.slot.rest = () => {
    rest()
    release.share.pause()
  }
  slot.begun?.(release.share)
  const timer = slot.isLong ? setTimeout(() => release.share.pause(), RUNNING_MS) : undefined
  let answer: T | undefined
  try {
    answer = await work()
    return answer
  } finally {
    clearTimeout(timer)
    release.share.pause()
    if (answer instanceof Stream && !reply.destroyed) reply.once('finish', release).once('close', release)
    else release()
  }
}

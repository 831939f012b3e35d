import type { ServerResponse } from 'node:http'
import type { Operation } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import type { AtWork } from '../base/yield-point.ts'
import { Stream } from '../tenancy/handler.ts'
import type { HttpCtx } from './context.ts'
import type { LoopShares, Share } from './event-loop.ts'

/** Lets requests to work in turn, so that one tenant's burst delays its own requests and nobody else's. */
export interface Turns {
  /**
   * Resolves when the tenant's request may work, with what gives the turn back. Throws `unavailable` when the line is
   * too long or does not move in time, and when the caller has gone; `ownExcess` when that is the tenant's own doing.
   */
  take(tenant: string, gone: () => AbortSignal): Promise<GiveBack>
  /** Requests at work and waiting. */
  count(): number
}

/** Ends a turn; only the first call counts. */
export interface GiveBack {
  (): void
  /** The request only waits for now, and is worked on again; it keeps its turn among its like. */
  readonly share: Share
}

/** How many requests may be at work and wait at once, and for how long. */
export interface TurnLimits {
  atWork: number
  atWorkOfTenant: number
  waiting: number
  waitingOfTenant: number
  waitMs: number
  /** The fault when the tenant's own requests fill the queue; otherwise it is `unavailable`. */
  ownExcess: 'rate_limited' | 'unavailable'
}

/**
 * What takes turns with its like: questions, which cost the processor most; what lasts as long as its caller likes;
 * what shows the service itself to anybody; and everything else.
 */
export type TurnClass = 'question' | 'flow' | 'shown' | 'other'

/** A question is computed in one piece, so more at work than this only wait inside; a caller may ask again at once. */
const QUESTIONS = {
  atWork: 32,
  atWorkOfTenant: 8,
  waiting: 4_000,
  waitingOfTenant: 400,
  waitMs: 1_000,
  ownExcess: 'rate_limited',
} as const
/** Streams in, streams out and waits for background work cost a socket and little else. */
const FLOWS = {
  atWork: 4_000,
  atWorkOfTenant: 250,
  waiting: 8_000,
  waitingOfTenant: 1_000,
  waitMs: 10_000,
  ownExcess: 'unavailable',
} as const
/** As many as the database has room for, waiting as long as a transaction would for its connection. */
const OTHERS = {
  atWork: 64,
  atWorkOfTenant: 16,
  waiting: 16_000,
  waitingOfTenant: 2_000,
  waitMs: 10_000,
  ownExcess: 'unavailable',
} as const

/** It needs no credential, so it gets little: who shows the service polls it every few seconds. */
const SHOWN = {
  atWork: 2,
  atWorkOfTenant: 1,
  waiting: 200,
  waitingOfTenant: 50,
  waitMs: 2_000,
  ownExcess: 'unavailable',
} as const

/** What is made of a large body takes several times its length, so few are parsed and worked on at a time. */
export const PARSING_LIMITS: TurnLimits = {
  atWork: 2,
  atWorkOfTenant: 1,
  waiting: 1_000,
  waitingOfTenant: 100,
  waitMs: 30_000,
  ownExcess: 'rate_limited',
}

/** The limits of one process. */
export const TURN_LIMITS: Readonly<Record<TurnClass, TurnLimits>> = {
  question: QUESTIONS,
  flow: FLOWS,
  shown: SHOWN,
  other: OTHERS,
}

/** Requests that need no credential and cost something to answer. */
const SHOWN_PATHS: readonly string[] = ['/openapi.json', '/metrics']

/** The group in which an operation's requests take turns; undefined for one that never waits for other requests. */
export function turnClassOf({ path, access, body, reply, headers, calls }: Operation): TurnClass | undefined {
  if (SHOWN_PATHS.includes(path)) return 'shown'
  if (access === 'public' || access === 'sender' || calls) return undefined
  if (path.startsWith('/api/v1/query/')) return 'question'
  const mayWait = 'prefer' in ((headers as { properties?: object } | undefined)?.properties ?? {})
  return body?.ndjson !== undefined || reply?.stream !== undefined || mayWait ? 'flow' : 'other'
}

const RETRY_SECONDS = 1

interface Waiter {
  go(giveBack: GiveBack): void
}

/** Where nobody's time is counted. */
const UNSHARED: Pick<LoopShares, 'mayBegin' | 'spentMs' | 'begin'> = {
  mayBegin: () => true,
  spentMs: () => 0,
  begin: () => ({ rest: () => undefined, again: async () => undefined }),
}

/** What turns are given by, beside their limits. */
interface TurnSurroundings {
  /** Counts what has a turn. */
  counted?: AtWork
  /** How tenants share the loop's time. */
  shares?: LoopShares
}

/**
 * Turns within these limits. Among tenants that wait, the one that has used the least of the loop's time is next, and
 * of equals the one that has waited longest without a turn.
 */
export function openTurns(limits: TurnLimits, { counted, shares: given }: TurnSurroundings = {}): Turns {
  const shares = given ?? UNSHARED
  const atWork = new Map<string, number>()
  const lines = new Map<string, Set<Waiter>>()
  let working = 0
  let waiting = 0

  const hasRoom = (tenant: string) => working < limits.atWork && (atWork.get(tenant) ?? 0) < limits.atWorkOfTenant
  const isFree = (tenant: string) => hasRoom(tenant) && shares.mayBegin(tenant)

  const begin = (tenant: string): GiveBack => {
    working += 1
    atWork.set(tenant, (atWork.get(tenant) ?? 0) + 1)
    const end = counted?.begin()
    const share = shares.begin(tenant)
    let isOver = false
    const giveBack = () => {
      if (isOver) return
      isOver = true
      end?.()
      working -= 1
      const left = (atWork.get(tenant) ?? 1) - 1
      if (left === 0) atWork.delete(tenant)
      else atWork.set(tenant, left)
      share.rest()
      callNext()
    }
    return Object.assign(giveBack, { share })
  }

  const leave = (tenant: string, line: Set<Waiter>, waiter: Waiter): boolean => {
    if (!line.delete(waiter)) return false
    waiting -= 1
    if (line.size === 0) lines.delete(tenant)
    return true
  }

  const nextOf = (): string | undefined => {
    let next: string | undefined
    for (const tenant of lines.keys()) {
      const isBefore = next === undefined || shares.spentMs(tenant) < shares.spentMs(next)
      if (isBefore && isFree(tenant)) next = tenant
    }
    return next
  }

  const callNext = () => {
    for (let tenant = nextOf(); tenant !== undefined; tenant = nextOf()) {
      const line = lines.get(tenant) as Set<Waiter>
      const [next] = line
      // The tenant goes to the end of the rotation, behind all others that wait.
      lines.delete(tenant)
      lines.set(tenant, line)
      if (next !== undefined && leave(tenant, line, next)) next.go(begin(tenant))
    }
  }
  given?.onFree(callNext)

  const wait = (tenant: string, gone: AbortSignal): Promise<GiveBack> => {
    const line = lines.get(tenant) ?? new Set()
    if (line.size >= limits.waitingOfTenant) throw overload(limits.ownExcess)
    if (waiting >= limits.waiting) throw overload('unavailable')
    lines.set(tenant, line)
    waiting += 1
    return called(
      (waiter) => void line.add(waiter),
      (waiter) => {
        if (!leave(tenant, line, waiter)) return undefined
        const isOwn = (atWork.get(tenant) ?? 0) >= limits.atWorkOfTenant || !shares.mayBegin(tenant)
        return overload(isOwn ? limits.ownExcess : 'unavailable')
      },
      { waitMs: limits.waitMs, gone },
    )
  }

  return {
    take: async (tenant, gone) => (isFree(tenant) && !lines.has(tenant) ? begin(tenant) : wait(tenant, gone())),
    count: () => working + waiting,
  }
}

/** Resolves when the waiter is called; rejects with what `giveUp` gives when the time is up or the caller has gone. */
function called(
  join: (waiter: Waiter) => void,
  giveUp: (waiter: Waiter) => Fault | undefined,
  { waitMs, gone }: { waitMs: number; gone: AbortSignal },
): Promise<GiveBack> {
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
      go: (giveBack) => {
        settle()
        resolve(giveBack)
      },
    }
    join(waiter)
    gone.addEventListener('abort', leave)
  })
}

function overload(name: TurnLimits['ownExcess']): Fault {
  return new Fault(name, {
    detail: 'Too many requests are at work. Send fewer at once, and this one again after Retry-After.',
    retryAfterSeconds: RETRY_SECONDS,
  })
}

/** The queue that a request waits in: its kind, and its account, or its address when it has no account. */
interface AskedTurn {
  of: Turns
  tenant: string
  /** It may last as long as its caller likes, who is most of what it waits for. */
  isLong: boolean
  /** Told when the turn has begun. */
  begun?: (share: Share) => void
}

/** For so long what may last is taken to be worked on; then it mostly waits. */
const WORKED_ON_MS = 250

/**
 * Works when it is the caller's turn, which ends with the work, with the reply when that is sent in parts, or when the
 * work itself ends it.
 */
export async function inTurn<T>(
  turn: AskedTurn,
  ctx: Pick<HttpCtx, 'signal' | 'turn'>,
  reply: ServerResponse,
  work: () => Promise<T>,
): Promise<T> {
  const giveBack = await turn.of.take(turn.tenant, () => ctx.signal)
  ctx.turn.end = giveBack
  const { rest } = ctx.turn
  ctx.turn.rest = () => {
    rest()
    giveBack.share.rest()
  }
  turn.begun?.(giveBack.share)
  const tired = turn.isLong ? setTimeout(() => giveBack.share.rest(), WORKED_ON_MS) : undefined
  let answer: T | undefined
  try {
    answer = await work()
    return answer
  } finally {
    clearTimeout(tired)
    giveBack.share.rest()
    if (answer instanceof Stream && !reply.destroyed) reply.once('finish', giveBack).once('close', giveBack)
    else giveBack()
  }
}

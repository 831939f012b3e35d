import { setTimeout as sleep } from 'node:timers/promises'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'
import type { RateGrant } from './rates.ts'
import { sandboxRate } from './sandbox-rate.ts'

const MINUTE_SECONDS = 60

/** Counts the records of a whole body; throws `rate_limited` when the sandbox's minute does not allow all of them. */
export async function takeRecords(ctx: Pick<Ctx, 'limits' | 'rates'>, reach: Reach, count: number): Promise<void> {
  if (count === 0) return
  const taken = await ctx.rates.takeAll(sandboxRate('records', reach, ctx.limits), count)
  if (taken.granted === count) return
  const isHopeless = taken.limit !== null && count > taken.limit
  throw tooManyRecords(
    taken,
    isHopeless
      ? `A minute takes ${taken.limit} records, the body has ${count}: send it in parts, or as a stream of NDJSON.`
      : undefined,
  )
}

/** The fault of a body that comes too early. */
export function tooManyRecords({ limit, isShared, resetSeconds }: RateGrant, detail?: string): Fault {
  const whose = isShared ? 'All sandboxes of the account that have this tier take' : 'This sandbox takes'
  return new Fault(isShared ? 'account_limits' : 'rate_limited', {
    detail: detail ?? `${whose} ${limit} records a minute; wait as long as Retry-After says.`,
    retryAfterSeconds: resetSeconds || MINUTE_SECONDS,
  })
}

/** Counts a piece of a stream, and waits until the sandbox's minute allows it: the sender is slowed, not refused. */
export async function awaitRecords(
  ctx: Pick<Ctx, 'limits' | 'rates' | 'signal'>,
  reach: Reach,
  count: number,
): Promise<void> {
  const subject = sandboxRate('records', reach, ctx.limits)
  let left = count
  while (left > 0) {
    const taken = await ctx.rates.takeUpTo(subject, left)
    left -= taken.granted
    if (left > 0) await sleep((taken.resetSeconds || 1) * MS_PER_SECOND, undefined, { signal: ctx.signal })
  }
}

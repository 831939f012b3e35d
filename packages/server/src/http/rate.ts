import type { Operation } from '@cairnstore/contract'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import type { RateSubject } from '../tenancy/limits/rates.ts'
import { sandboxRate } from '../tenancy/limits/sandbox-rate.ts'
import { tooManyRecords } from '../tenancy/limits/take-records.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { App } from './context.ts'

/** What of the sandbox's limits by the minute an operation uses. */
export function rateOf({ rated }: Operation, reach: Reach | undefined, { limits }: App): RateSubject | undefined {
  return rated && reach && sandboxRate(rated, reach, limits)
}

/**
 * Throws `rate_limited` when the minute is used up. A question is counted here, and a read where it is limited.
 * Records are counted where they are taken in, since how many come is not known yet; a stream of them is slowed there
 * and never refused.
 */
export async function admitRate(request: FastifyRequest, subject: RateSubject, { rates }: App): Promise<void> {
  if (subject.kind === 'reads' && subject.limit === null && subject.shared?.limit == null) return
  if (subject.kind !== 'records') {
    const { granted, limit, isShared, resetSeconds } = await rates.takeOne(subject)
    if (granted > 0) return
    const whose = isShared ? `All ${subject.shared?.tier} sandboxes of the account get` : 'This sandbox gets'
    throw new Fault(isShared ? 'account_limits' : 'rate_limited', {
      detail: `${whose} ${limit} ${subject.kind} a minute answered; wait as long as Retry-After says.`,
      retryAfterSeconds: resetSeconds,
    })
  }
  const isStream = (request.headers['content-type'] ?? '').toLowerCase().startsWith('application/x-ndjson')
  if (isStream || rates.latest(subject)?.remaining !== 0) return
  const now = await rates.takeUpTo(subject, 0)
  if (now.remaining === 0) throw tooManyRecords(now)
}

/** The headers that tell a caller where it stands; none when there is no limit. */
export function rateHeaders(subject: RateSubject, { rates }: App): Record<string, string> {
  const first = subject.limit ?? subject.shared?.limit ?? null
  if (first === null) return {}
  const { limit, remaining, resetSeconds } = rates.latest(subject) ?? {
    limit: first,
    remaining: first,
    resetSeconds: 0,
  }
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  }
}

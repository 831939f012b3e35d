import { Fault } from '../../base/fault.ts'
import { assertRecorded } from '../audit/audited-sql.ts'
import type { TenancyCtx } from '../context.ts'
import { Reply } from '../handler.ts'
import {
  assertSame,
  claimKey,
  type IdempotencyContext,
  type KeyedRequest,
  REPLAYED,
  release,
  type StoredReply,
  scopeOf,
  storeReply,
  toStoredFault,
  writeReply,
} from './keyed-request.ts'

/**
 * Runs a request with an Idempotency-Key once and replays its stored response for repeats. Errors that a repeat would
 * also get are stored too. After a server error or an overload error the key is released.
 */
export async function runOnce(
  ctx: Pick<TenancyCtx, 'clock' | 'log' | 'sql'> & IdempotencyContext,
  stream: Stream,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const { keyed } = ctx
  const run = async () => {
    const answer = await work()
    if ('event' in ctx.operation.audit) assertRecorded(ctx.sql)
    return answer
  }
  if (!keyed) return run()
  const stored = await findStored(ctx, keyed.request)
  if (stored) {
    await drain(stream)
    assertSame(stored, keyed.request.fingerprint())
    if (stored.status >= REFUSED) throw toStoredFault(stored.read())
    return new Reply(stored.status, stored.read(), REPLAYED)
  }
  try {
    const answer = await run()
    await storeLate(ctx, answer)
    return answer
  } catch (cause) {
    await storeError(ctx, cause)
    throw cause
  }
}

/** Returns the stored response of the key. Releases a claim with an unknown outcome. */
async function findStored(
  ctx: Pick<TenancyCtx, 'clock' | 'sql'>,
  request: KeyedRequest,
): Promise<StoredReply | undefined> {
  try {
    return await claimKey(ctx.sql, request, ctx.clock.now())
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'unavailable') await release(ctx.sql, request).catch(() => undefined)
    throw cause
  }
}

/** Body of a streamed request; undefined for other requests. */
type Stream = AsyncIterable<unknown> | undefined

const REFUSED = 400
/** Client error statuses that may not recur in a repeat, so they are not stored. */
const TRANSIENT: ReadonlySet<number> = new Set([401, 408, 429])
/** Reasons that may end without another request, so they are not stored. */
const TRANSIENT_REASONS: ReadonlySet<string | undefined> = new Set(['idempotency_key_in_use', 'storage_unfit'])
const SERVER_FAULT = 500

async function drain(stream: Stream): Promise<void> {
  if (stream) for await (const _ of stream);
}

/**
 * Stores a response after the effect is committed. A handler that waited for its effect may return a later status than
 * it stored. A handler that stored nothing is a bug and is logged.
 */
async function storeLate(ctx: Pick<TenancyCtx, 'log' | 'sql'> & IdempotencyContext, answer: unknown): Promise<void> {
  const { status, body } = answer instanceof Reply ? answer : new Reply(ctx.operation.status, answer)
  if (ctx.keyed?.isKept && status === ctx.operation.status) return
  if (!ctx.keyed?.isKept) ctx.log.error('reply stored after its effect was committed', { operation: ctx.operation.id })
  await ctx.sql.transact(scopeOf(ctx.keyed!.request), (tx) => storeReply(ctx, tx, body as object, status))
}

async function storeError(ctx: Pick<TenancyCtx, 'keyed' | 'sql'>, cause: unknown): Promise<void> {
  const { request, isKept } = ctx.keyed!
  if (isKept) return
  const isLasting = cause instanceof Fault && cause.status < SERVER_FAULT && !TRANSIENT.has(cause.status)
  if (!isLasting || TRANSIENT_REASONS.has(cause.reason)) return release(ctx.sql, request)
  const { reason, code, detail, problems, outcome } = cause
  const body = { refusal: reason ?? code, detail, ...(problems && { problems }), ...(outcome && { outcome }) }
  await ctx.sql.transact(scopeOf(request), (tx) => writeReply(tx, request, { status: cause.status, body }))
}

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
    const response = await work()
    if ('event' in ctx.operation.audit) assertRecorded(ctx.sql)
    return response
  }
  if (!keyed) return run()
  const stored = await findStored(ctx, keyed.request)
  if (stored) {
    await drain(stream)
    assertSame(stored, keyed.request.fingerprint())
    if (stored.status >= CLIENT_ERROR) throw toStoredFault(stored.read())
    return new Reply(stored.status, stored.read(), REPLAYED)
  }
  try {
    const response = await run()
    await storeLate(ctx, response)
    return response
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

const CLIENT_ERROR = 400
/** Client error statuses that may not recur in a repeat, so they are not stored. */
const TRANSIENT: ReadonlySet<number> = new Set([401, 408, 429])
/** Error reasons that may no longer apply when the request is repeated, so they are not stored. */
const TRANSIENT_REASONS: ReadonlySet<string | undefined> = new Set(['idempotency_key_in_use', 'storage_unfit'])
const SERVER_ERROR = 500

async function drain(stream: Stream): Promise<void> {
  if (stream) for await (const _ of stream);
}

/**
 * Stores a response after its effect was committed. A handler that waits for background work stores a response first
 * and may return another status later. A handler that stored nothing has a bug, which is logged.
 */
async function storeLate(ctx: Pick<TenancyCtx, 'log' | 'sql'> & IdempotencyContext, response: unknown): Promise<void> {
  const { status, body } = response instanceof Reply ? response : new Reply(ctx.operation.status, response)
  if (ctx.keyed?.isStored && status === ctx.operation.status) return
  if (!ctx.keyed?.isStored) ctx.log.error('the handler stored no response', { operation: ctx.operation.id })
  await ctx.sql.transact(scopeOf(ctx.keyed!.request), (tx) => storeReply(ctx, tx, body as object, status))
}

async function storeError(ctx: Pick<TenancyCtx, 'keyed' | 'sql'>, cause: unknown): Promise<void> {
  const { request, isStored } = ctx.keyed!
  if (isStored) return
  const isLasting = cause instanceof Fault && cause.status < SERVER_ERROR && !TRANSIENT.has(cause.status)
  if (!isLasting || TRANSIENT_REASONS.has(cause.reason)) return release(ctx.sql, request)
  const { reason, code, detail, problems, outcome } = cause
  const body = { refusal: reason ?? code, detail, ...(problems && { problems }), ...(outcome && { outcome }) }
  await ctx.sql.transact(scopeOf(request), (tx) => writeReply(tx, request, { status: cause.status, body }))
}

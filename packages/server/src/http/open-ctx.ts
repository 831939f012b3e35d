import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import type { Call } from '../mcp/context.ts'
import { auditedSql } from '../tenancy/audit/audited-sql.ts'
import type { Caller } from '../tenancy/caller.ts'
import { readCallerKey } from '../tenancy/caller-keys/caller-key.ts'
import type { RequestKey } from '../tenancy/caller-keys/unlock.ts'
import { type KeyedRequest, newClaim } from '../tenancy/idempotency/keyed-request.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { Admitted } from './admit.ts'
import { bearerOf, isPrivate } from './authenticate.ts'
import type { Ctx } from './context.ts'
import type { Input } from './input.ts'
import type { Mounting, Named } from './mounting.ts'

/** What is known of a request before its handler begins. */
interface Opened extends Admitted {
  key: RequestKey | undefined
  newKey: Buffer | undefined
  call: Call
}

/** What a handler works with: the program, its request and its caller's key. */
export function openCtx(
  { app, stopping }: Mounting,
  operation: Named,
  request: FastifyRequest,
  gone: () => AbortSignal,
  { caller, as, reach, key: callerKey, newKey, call }: Opened,
  input: Input,
): Ctx {
  const { ifMatch, idempotencyKey: key } = input
  const keyed =
    key === undefined
      ? undefined
      : { request: keyedRequest(request, key, caller!, reach, input, callerKey?.seal), isKept: false }
  return {
    ...app,
    sql: 'event' in operation.audit ? auditedSql(app.sql, operation.id, keyed) : app.sql,
    caller: as ?? caller!,
    ifMatch,
    key: callerKey,
    newKey,
    // What is under a caller's key is shown to no model.
    ...(callerKey && { models: {} }),
    keyed,
    call,
    requestId: request.id,
    address: request.ip,
    operation,
    turn: { end: () => undefined, rest: () => request.claim?.rest() },
    stopping,
    get signal() {
      return gone()
    },
  }
}

function keyedRequest(
  request: FastifyRequest,
  key: string,
  caller: Caller,
  reach: Reach | undefined,
  { fingerprint }: Input,
  seal: KeyedRequest['seal'],
): KeyedRequest {
  const [path = ''] = request.url.split('?', 1)
  return {
    holderId: reach?.holderId ?? caller.accountId,
    credentialId: caller.credential.id,
    method: request.method,
    path,
    key,
    fingerprint: () => (seal ? seal.digest(fingerprint()) : fingerprint()),
    seal,
    claim: newClaim(),
  }
}

/**
 * The caller's key, from its two headers. Throws `encryption_header_invalid`, for a bare key also when it came over a
 * connection on which others could read it.
 */
export function takeKey(request: FastifyRequest, { headers }: Input, prefix = 'x-encryption'): Buffer | undefined {
  const { [`${prefix}-token`]: token, [`${prefix}-key`]: key } = headers
  if (token === undefined && key === undefined) return undefined
  if (key !== undefined && !isPrivate(request)) {
    throw new Fault('encryption_header_invalid', { detail: 'Send X-Encryption-Key over TLS alone.' })
  }
  return readCallerKey({ token, key }, bearerOf(request.raw) ?? '')
}

/** Gives the signal that the caller has gone; most requests never ask for it. */
export function goneSignal({ raw }: FastifyReply): () => AbortSignal {
  let controller: AbortController | undefined
  const watch = (opened: AbortController) => {
    const abortUnlessDone = () => {
      if (!raw.writableFinished) opened.abort()
    }
    if (raw.destroyed) abortUnlessDone()
    else raw.once('close', abortUnlessDone)
    return opened
  }
  return () => {
    controller ??= watch(new AbortController())
    return controller.signal
  }
}

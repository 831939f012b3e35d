import { needsReach, type Operation } from '@cairnstore/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { localModels } from '../answer/models/open-models.ts'
import { Fault } from '../base/fault.ts'
import { auditedSql } from '../tenancy/audit/audited-sql.ts'
import { recordReadAs } from '../tenancy/audit/record-event.ts'
import { type Caller, tenantOf } from '../tenancy/caller.ts'
import { type RequestKey, readCallerKey, unlock } from '../tenancy/caller-keys/caller-key.ts'
import { type InputOf, NO_WAIT, Reply } from '../tenancy/handler.ts'
import { answerOnce } from '../tenancy/idempotency/answer-once.ts'
import { type KeyedRequest, newClaim } from '../tenancy/idempotency/keyed-request.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { CallInput, CallOperation } from '../tenancy/request.ts'
import { type Admitted, admitRate, assertAllowed, assertKind, rateOf } from './admit.ts'
import { bearerOf, isPrivate } from './authenticate.ts'
import type { Handler, HttpCtx } from './context.ts'
import type { Share } from './event-loop.ts'
import { type AssertRules, type Input, READING } from './input.ts'
import type { Mounting, NamedOperation } from './mounting.ts'
import { inTurn, turnClassOf } from './turns.ts'

/** An operation with its handler and input validation. */
export interface Performed {
  readonly operation: NamedOperation
  readonly handler: Handler<Operation>
  readonly assertRules: AssertRules
}

/** A request with the results of the checks before its body. */
interface Arrival {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly admitted: Admitted
  /** Returns a signal that aborts when the caller disconnects. */
  readonly gone: () => AbortSignal
}

/** The mounted operations by id. */
export type AllPerformed = ReadonlyMap<string, Performed>

/** Runs the handler on validated input, with the caller's key, once the tenant has a scheduler slot. */
export async function perform(
  { operation, handler }: Performed,
  mounting: Mounting,
  arrival: Arrival,
  input: Input,
  all: AllPerformed,
): Promise<unknown> {
  const { request, reply, admitted, gone } = arrival
  const newKey = takeKey(request, input, 'x-new-encryption')
  const key = unlock(mounting.app.seals, operation.content, admitted.reach, takeKey(request, input), newKey)
  if (key) request.keys = [...(request.keys ?? []), key]
  const call = callWithin(operation, mounting, arrival, input, all)
  const ctx = openCtx(mounting, operation, request, gone, { ...admitted, key, newKey, call }, input)
  if (admitted.as) await recordReadAs(mounting.app, admitted, request.id)
  const work = () => handler(ctx, { ...input, reach: admitted.reach } as unknown as InputOf<Operation>)
  const answering = () => answerOnce(ctx, input.lines ?? input.upload?.chunks, work)
  const begun = (share: Share) => {
    request.share = share
    request.arrived?.()
  }
  const turnClass = turnClassOf(operation)
  const tenant = admitted.caller ? tenantOf(admitted.caller) : request.ip
  const turn = turnClass && { of: mounting.turns[turnClass], tenant, isLong: turnClass === 'flow', begun }
  const answer = turn ? await inTurn(turn, ctx, reply.raw, answering) : await answering()
  const event = 'event' in operation.audit ? operation.audit.event : ''
  if (admitted.reach && CHANGES.test(event)) mounting.changed(admitted.reach.sandboxId)
  return answer
}

/** Audit events after which a source may have changed. */
const CHANGES = /^(?:source|sandbox)\./

/**
 * Returns the function with which an operation calls others. Each call uses the request's caller and access scope. The
 * called operation's role, rate limit, validation, scheduler slot and audit event apply.
 */
function callWithin(
  outer: NamedOperation,
  mounting: Mounting,
  arrival: Arrival,
  { headers }: Input,
  all: AllPerformed,
): CallOperation {
  const call = async (id: string, given: CallInput): Promise<unknown> => {
    const called = all.get(id)
    if (!outer.calls || !called) throw new Error(`${outer.id} is not allowed to call ${id}`)
    const { operation, assertRules } = called
    const { caller, reach } = arrival.admitted
    assertKind(operation, caller!)
    assertAllowed(operation, caller!, reach, true)
    const inside = {
      ...arrival,
      admitted: { caller, reach: needsReach(operation) ? reach : undefined, rate: undefined },
    }
    const rate = rateOf(operation, reach, mounting.app)
    if (rate) await admitRate(arrival.request, rate, mounting.app)
    const input: Input = {
      ...NOTHING_SENT,
      headers,
      params: { ...given.params, ...(reach && { sandbox_id: reach.sandboxId }) },
      query: given.query ?? {},
      body: given.body,
      wait: given.wait ?? NO_WAIT,
    }
    assertRules(input)
    const answer = await perform(called, mounting, inside, input, all)
    return answer instanceof Reply ? answer.body : answer
  }
  return call as CallOperation
}

/** Input fields that a nested call does not have. */
const NOTHING_SENT = {
  lines: undefined,
  upload: undefined,
  reading: READING,
  fingerprint: () => {
    throw new Fault('internal_error', { note: 'a nested call has no idempotency key' })
  },
  idempotencyKey: undefined,
  ifMatch: undefined,
  raw: undefined,
  wantsStream: false,
} as const

/** Data about a request before its handler runs. */
interface OpenedRequest extends Admitted {
  key: RequestKey | undefined
  newKey: Buffer | undefined
  call: CallOperation
}

/** Returns the context of a handler. */
function openCtx(
  { app, stopping }: Mounting,
  operation: NamedOperation,
  request: FastifyRequest,
  gone: () => AbortSignal,
  { caller, as, reach, key: callerKey, newKey, call }: OpenedRequest,
  input: Input,
): HttpCtx {
  const { ifMatch, idempotencyKey: key } = input
  const keyed =
    key === undefined
      ? undefined
      : { request: keyedRequest(operation, key, caller!, reach, input, callerKey?.seal), isKept: false }
  return {
    ...app,
    sql: 'event' in operation.audit ? auditedSql(app.sql, operation.id, keyed) : app.sql,
    caller: as ?? caller!,
    isAsUser: as !== undefined,
    ifMatch,
    key: callerKey,
    newKey,
    ...(callerKey && { models: localModels(app.models) }),
    keyed,
    call,
    requestId: request.id,
    address: request.ip,
    cookie: request.headers.cookie,
    operation,
    turn: { end: () => undefined, rest: () => request.claim?.rest() },
    stopping,
    get signal() {
      return gone()
    },
  }
}

function keyedRequest(
  operation: Operation,
  key: string,
  caller: Caller,
  reach: Reach | undefined,
  { fingerprint, params }: Input,
  seal: KeyedRequest['seal'],
): KeyedRequest {
  // The path is built from the matched route, because one path can be spelled in many ways.
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return {
    holderId: reach?.holderId ?? tenantOf(caller),
    credentialId: caller.credential.id,
    method: operation.method,
    path,
    key,
    fingerprint: () => (seal ? seal.digest(fingerprint()) : fingerprint()),
    seal,
    claim: newClaim(),
  }
}

/**
 * Returns the customer-managed key in the two headers. Throws `encryption_header_invalid`, also for a bare key over an
 * unencrypted connection.
 */
function takeKey(request: FastifyRequest, { headers }: Input, prefix = 'x-encryption'): Buffer | undefined {
  const { [`${prefix}-token`]: token, [`${prefix}-key`]: key } = headers
  if (token === undefined && key === undefined) return undefined
  if (key !== undefined && !isPrivate(request)) {
    throw new Fault('encryption_header_invalid', { detail: 'Send X-Encryption-Key only over TLS.' })
  }
  const bearer = bearerOf(request.raw)
  if (token !== undefined && bearer === undefined) {
    throw new Fault('encryption_header_invalid', { detail: 'With a session cookie, send the key as X-Encryption-Key.' })
  }
  return readCallerKey({ token, key }, bearer ?? '')
}

/**
 * Returns a function that creates the signal of the caller's disconnection on first use. Most requests do not need it.
 */
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

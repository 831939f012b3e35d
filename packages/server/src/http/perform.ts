import { needsAccessScope, type Operation } from '@cairnstore/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { localModels } from '../answer/models/open-models.ts'
import { Fault } from '../base/fault.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { auditedSql } from '../tenancy/audit/audited-sql.ts'
import { recordReadAs } from '../tenancy/audit/record-event.ts'
import { type Caller, tenantOf } from '../tenancy/caller.ts'
import { openRequestKey, type RequestKey, readCallerKey } from '../tenancy/caller-keys/caller-key.ts'
import { type InputOf, NO_WAIT, Reply } from '../tenancy/handler.ts'
import { type KeyedRequest, newClaim } from '../tenancy/idempotency/keyed-request.ts'
import { runOnce } from '../tenancy/idempotency/run-once.ts'
import type { CallInput, CallOperation } from '../tenancy/request.ts'
import { type Admitted, admitRate, assertAllowed, assertKind, rateOf } from './admit.ts'
import { bearerOf, isPrivate } from './authenticate.ts'
import type { Handler, HttpCtx } from './context.ts'
import type { Share } from './event-loop.ts'
import { type AssertRules, type Input, READING } from './input.ts'
import type { Mounting, NamedOperation } from './mounting.ts'
import { slotClassOf, withSlot } from './slot-queue.ts'

/** An operation with its handler and input validation. */
export interface MountedOperation {
  readonly operation: NamedOperation
  readonly handler: Handler<Operation>
  readonly assertRules: AssertRules
}

/** A request with the results of the checks before its body. */
interface IncomingRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly admitted: Admitted
  /** Returns a signal that aborts when the caller disconnects. */
  readonly gone: () => AbortSignal
}

export type MountedOperations = ReadonlyMap<string, MountedOperation>

/** Runs the handler on validated input and with the caller's key, once the tenant has a scheduler slot. */
export async function perform(
  { operation, handler }: MountedOperation,
  mounting: Mounting,
  arrival: IncomingRequest,
  input: Input,
  all: MountedOperations,
): Promise<unknown> {
  const { request, reply, admitted, gone } = arrival
  const newKey = readKeyHeaders(request, input, 'x-new-encryption')
  const key = openRequestKey(
    mounting.app.seals,
    operation.content,
    admitted.access,
    readKeyHeaders(request, input),
    newKey,
  )
  if (key) request.keys = [...(request.keys ?? []), key]
  const call = createNestedCall(operation, mounting, arrival, input, all)
  const ctx = openCtx(mounting, operation, request, gone, { ...admitted, key, newKey, call }, input)
  if (admitted.as) await recordReadAs(mounting.app, admitted, request.id)
  const work = () => handler(ctx, { ...input, access: admitted.access } as unknown as InputOf<Operation>)
  const answering = () => runOnce(ctx, input.lines ?? input.upload?.chunks, work)
  const begun = (share: Share) => {
    request.share = share
    request.arrived?.()
  }
  const slotClass = slotClassOf(operation)
  const tenant = admitted.caller ? tenantOf(admitted.caller) : request.ip
  const slot = slotClass && { of: mounting.slots[slotClass], tenant, isLong: slotClass === 'flow', begun }
  const answer = slot ? await withSlot(slot, ctx, reply.raw, answering) : await answering()
  const event = 'event' in operation.audit ? operation.audit.event : ''
  if (admitted.access && CHANGES.test(event)) mounting.changed(admitted.access.sandboxId)
  return answer
}

/** Matches audit events after which a source may have changed. */
const CHANGES = /^(?:source|sandbox)\./

/**
 * Returns the function with which an operation calls other operations. A call has the caller and access scope of the
 * request. The called operation's role, rate limit, validation, scheduler slot and audit event apply.
 */
function createNestedCall(
  outer: NamedOperation,
  mounting: Mounting,
  arrival: IncomingRequest,
  { headers }: Input,
  all: MountedOperations,
): CallOperation {
  const call = async (id: string, given: CallInput): Promise<unknown> => {
    const called = all.get(id)
    if (!outer.calls || !called) throw new Error(`${outer.id} is not allowed to call ${id}`)
    const { operation, assertRules } = called
    const { caller, access } = arrival.admitted
    assertKind(operation, caller!)
    assertAllowed(operation, caller!, access, true)
    const inside = {
      ...arrival,
      admitted: { caller, access: needsAccessScope(operation) ? access : undefined, rate: undefined },
    }
    const rate = rateOf(operation, access, mounting.app)
    if (rate) await admitRate(arrival.request, rate, mounting.app)
    const input: Input = {
      ...NESTED_DEFAULTS,
      headers,
      params: { ...given.params, ...(access && { sandbox_id: access.sandboxId }) },
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

/** Values of input fields that do not exist in a nested call. */
const NESTED_DEFAULTS = {
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

/** Context of a request before its handler runs. */
interface RequestState extends Admitted {
  key: RequestKey | undefined
  newKey: Buffer | undefined
  call: CallOperation
}

function openCtx(
  { app, stopping }: Mounting,
  operation: NamedOperation,
  request: FastifyRequest,
  gone: () => AbortSignal,
  { caller, as, access, key: callerKey, newKey, call }: RequestState,
  input: Input,
): HttpCtx {
  const { ifMatch, idempotencyKey: key } = input
  const keyed =
    key === undefined
      ? undefined
      : { request: keyedRequest(operation, key, caller!, access, input, callerKey?.seal), isStored: false }
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
    origin: request.headers.origin,
    fetchSite: request.headers['sec-fetch-site'],
    operation,
    slot: { end: () => undefined, rest: () => request.claim?.releaseSlot() },
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
  access: AccessScope | undefined,
  { fingerprint, params }: Input,
  seal: KeyedRequest['seal'],
): KeyedRequest {
  // The path is built from the matched route, because a client can write one path in many ways.
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  return {
    holderId: access?.holderId ?? tenantOf(caller),
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
 * Returns the customer-managed key in the two headers. Throws `encryption_header_invalid`, also if a key is sent over
 * an unencrypted connection.
 */
function readKeyHeaders(request: FastifyRequest, { headers }: Input, prefix = 'x-encryption'): Buffer | undefined {
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

/** Returns a function that creates the signal of the caller's disconnection on first use. Few requests need it. */
export function disconnectSignal({ raw }: FastifyReply): () => AbortSignal {
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

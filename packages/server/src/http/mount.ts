import type { Operation, Operations } from '@cairn/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import { isId } from '../base/id.ts'
import { auditedSql } from '../tenancy/audit/audited-sql.ts'
import type { Caller } from '../tenancy/caller.ts'
import { readCallerKey } from '../tenancy/caller-keys/caller-key.ts'
import { type RequestKey, unlock } from '../tenancy/caller-keys/unlock.ts'
import type { InputOf } from '../tenancy/handler.ts'
import { answerOnce } from '../tenancy/idempotency/answer-once.ts'
import { type KeyedRequest, newClaim } from '../tenancy/idempotency/keyed-request.ts'
import type { RateSubject } from '../tenancy/limits/rates.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { type Authenticate, authenticateRequest, bearerOf, isPrivate } from './authenticate.ts'
import { BodyClaim, type BodyRoom } from './body-claim.ts'
import type { App, Ctx, Handler, Handlers } from './context.ts'
import { type Input, type InputTimeouts, inputOf } from './input.ts'
import type { LoopShares, Share } from './loop-shares.ts'
import type { Metrics } from './metrics.ts'
import { admitRate, rateHeaders, rateOf } from './rate.ts'
import { send } from './send.ts'
import { inTurn, type TurnClass, type Turns, turnClassOf } from './turns.ts'

/** Finds what a caller may do in a sandbox, in its primary one when none is named; nothing when it cannot reach it. */
export type ReachOf = (caller: Caller, sandboxId: string | undefined) => Promise<Reach | undefined>

/** What every mounted operation uses. */
export interface Mounting {
  readonly app: App
  readonly authenticate: Authenticate
  readonly reachOf: ReachOf
  readonly metrics: Metrics
  readonly timeouts: InputTimeouts
  readonly turns: Readonly<Record<TurnClass, Turns>>
  readonly bodies: BodyRoom
  readonly shares: LoopShares
  /** Aborted when the process is to end. */
  readonly stopping: AbortSignal
  /** Told when an operation has changed a sandbox, or a source in it. */
  readonly changed: (sandboxId: string) => void
}

/** What the checks before the body found out. */
interface Admitted {
  caller: Caller | undefined
  reach: Reach | undefined
  /** The limit by the minute that the request uses. */
  rate: RateSubject | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | undefined
    key: RequestKey | undefined
    claim: BodyClaim | undefined
    share: Share | undefined
    /** Ends the time in which a request has come and is not worked on. */
    arrived: (() => void) | undefined
  }
}

const MS_PER_SECOND = 1000

/**
 * Serves every operation of a set with its handler. The checks run in the contract's order: credential, reach and role
 * before the body is read; then the body's form, then the rules, then what the handler finds.
 */
export function mount<Ops extends Operations>(
  server: FastifyInstance,
  operations: Ops,
  handlers: Handlers<Ops>,
  mounting: Mounting,
): void {
  for (const [id, operation] of Object.entries(operations)) {
    mountOne(server, { ...operation, id }, handlers[id] as unknown as Handler<Operation>, mounting)
  }
}

type Named = Operation & { readonly id: string }

function mountOne(server: FastifyInstance, operation: Named, handler: Handler<Operation>, mounting: Mounting): void {
  const takeInput = inputOf(operation, mounting.timeouts)
  const turnClass = turnClassOf(operation)
  const turns = turnClass && mounting.turns[turnClass]
  server.route({
    method: operation.method,
    url: operation.path,
    schema: { response: replySchemas(operation) },
    onRequest: async (request) => {
      const admitted = await admit(operation, request, mounting)
      request.admitted = admitted
      if (admitted.rate) await admitRate(request, admitted.rate, mounting.app)
    },
    handler: async (request, reply) => {
      const admitted = request.admitted!
      const tenant = admitted.caller?.accountId ?? request.ip
      const claim = new BodyClaim(mounting.bodies, tenant)
      request.claim = claim
      // A reply that nobody is there to get is never finished.
      reply.raw.once('close', () => claim.release())
      reply.raw.once('close', () => request.arrived?.())
      const gone = goneSignal(reply)
      const input = await takeInput(request, claim, gone)
      const newKey = takeKey(request, input, 'x-new-encryption')
      const key = unlock(mounting.app.seals, operation.content, admitted.reach, takeKey(request, input), newKey)
      request.key = key
      const ctx = openCtx(mounting, operation, request, gone, { ...admitted, key, newKey }, input)
      const work = () => handler(ctx, { ...input, reach: admitted.reach } as unknown as InputOf<Operation>)
      const answering = () => answerOnce(ctx, input.lines ?? input.upload?.chunks, work)
      const begun = (share: Share) => {
        request.share = share
        request.arrived?.()
      }
      const turn = turns && { of: turns, tenant, isLong: turnClass === 'flow', begun }
      const answer = turn ? await inTurn(turn, ctx, reply.raw, answering) : await answering()
      claim.rest()
      const event = 'event' in operation.audit ? operation.audit.event : ''
      if (admitted.reach && CHANGES.test(event)) mounting.changed(admitted.reach.sandboxId)
      return send(operation, request, reply, answer, mounting.app.log)
    },
    onSend: async (request, reply) => {
      const rate = request.admitted?.rate
      if (rate) reply.headers(rateHeaders(rate, mounting.app))
    },
    onResponse: (request, reply, done) => {
      request.key?.release()
      request.claim?.release()
      request.arrived?.()
      observe(mounting, operation, request, reply)
      done()
    },
  })
}

/** Audit events of operations after which a source may be another than it was. */
const CHANGES = /^(?:source|sandbox)\./

function replySchemas({ status, reply: given }: Operation): Record<string, unknown> {
  const schemas: Record<string, unknown> = {}
  if (given?.json) schemas[status] = given.json
  if (given?.otherwise?.json) schemas[given.otherwise.status] = given.otherwise.json
  return schemas
}

/** Decides by the credential, then the reach, then the role. An id that none could have is like one that nobody has. */
async function admit(operation: Operation, request: FastifyRequest, mounting: Mounting): Promise<Admitted> {
  // Who may deliver to a source is decided where deliveries are received: it may take the body to know.
  if (operation.access === 'public' || operation.access === 'sender')
    return { caller: undefined, reach: undefined, rate: undefined }
  const caller = await authenticateRequest(request, mounting.authenticate)
  request.arrived = mounting.shares.arrive(caller.accountId)
  assertKind(operation, caller)
  if (operation.access === 'account' || operation.access === 'admin') {
    return { caller, reach: undefined, rate: undefined }
  }
  const { sandbox_id: sandboxId } = request.params as { sandbox_id?: string }
  const isPossible = sandboxId === undefined || isId('sandbox', sandboxId)
  const reach = isPossible ? await mounting.reachOf(caller, sandboxId) : undefined
  if (reach === undefined) throw new Fault('not_found')
  if (!reach.allows(operation.access)) throw new Fault('forbidden')
  return { caller, reach, rate: rateOf(operation, reach, mounting.app) }
}

/** Outside the operator's operations the admin key is no credential at all; inside them any other is too little. */
function assertKind({ access, forConnectionKeys }: Operation, { credential: { kind } }: Caller): void {
  if (access === 'admin' && kind !== 'admin_key') throw new Fault('forbidden', { detail: 'This needs the admin key.' })
  if (access !== 'admin' && kind === 'admin_key') {
    throw new Fault('unauthorized', { detail: 'The admin key opens the operator’s operations alone.' })
  }
  if (access === 'account' && kind === 'connection_key' && !forConnectionKeys) throw new Fault('connection_key_limits')
}

function openCtx(
  { app, stopping }: Mounting,
  operation: Named,
  request: FastifyRequest,
  gone: () => AbortSignal,
  { caller, reach, key: callerKey, newKey }: Admitted & { key: RequestKey | undefined; newKey: Buffer | undefined },
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
    caller: caller!,
    ifMatch,
    key: callerKey,
    newKey,
    // What is under a caller's key is shown to no model.
    ...(callerKey && { models: {} }),
    keyed,
    requestId: request.id,
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
function takeKey(request: FastifyRequest, { headers }: Input, prefix = 'x-encryption'): Buffer | undefined {
  const { [`${prefix}-token`]: token, [`${prefix}-key`]: key } = headers
  if (token === undefined && key === undefined) return undefined
  if (key !== undefined && !isPrivate(request)) {
    throw new Fault('encryption_header_invalid', { detail: 'Send X-Encryption-Key over TLS alone.' })
  }
  return readCallerKey({ token, key }, bearerOf(request.raw) ?? '')
}

/** Gives the signal that the caller has gone; most requests never ask for it. */
function goneSignal({ raw }: FastifyReply): () => AbortSignal {
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

function observe({ metrics, app }: Mounting, operation: Named, request: FastifyRequest, reply: FastifyReply): void {
  const durationMs = reply.elapsedTime
  metrics.observeRequest(operation.id, reply.statusCode, durationMs / MS_PER_SECOND)
  app.log.debug('request', { requestId: request.id, operation: operation.id, status: reply.statusCode, durationMs })
}

import type { Operation, Operations } from '@cairnstore/contract'
import type { FastifyInstance } from 'fastify'
import { unsupportedMedia } from '../base/fault.ts'
import type { RequestKey } from '../tenancy/caller-keys/unlock.ts'
import { type Admitted, admit } from './admit.ts'
import { BodyClaim } from './body-claim.ts'
import type { Handler, Handlers } from './context.ts'
import { writeFault } from './errors.ts'
import { inputOf, mediaTypesOf, rulesOf } from './input.ts'
import type { Share } from './loop-shares.ts'
import type { Mounting } from './mounting.ts'
import { goneSignal } from './open-ctx.ts'
import { type AllPerformed, type Performed, perform } from './perform.ts'
import { admitRate, rateHeaders } from './rate.ts'
import { send } from './send.ts'

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | undefined
    /** The keys that the request brought, released when it has ended. */
    keys: RequestKey[] | undefined
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
  const all = new Map<string, Performed>()
  for (const [id, each] of Object.entries(operations)) {
    const operation = { ...each, id }
    all.set(id, { operation, handler: handlers[id] as unknown as Handler<Operation>, assertRules: rulesOf(operation) })
  }
  for (const each of all.values()) mountOne(server, each, mounting, all)
}

function mountOne(server: FastifyInstance, mounted: Performed, mounting: Mounting, all: AllPerformed): void {
  const { operation, assertRules } = mounted
  const takeInput = inputOf(operation, mounting.timeouts, assertRules)
  server.route({
    method: operation.method,
    url: operation.path,
    schema: { response: replySchemas(operation) },
    errorHandler: (error, request, reply) => writeFault(named(error, operation), request, reply, mounting.app.log),
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
      const answer = await perform(mounted, mounting, { request, reply, admitted, gone }, input, all)
      claim.rest()
      return send(operation, request, reply, answer, mounting.app.log)
    },
    onSend: async (request, reply) => {
      const rate = request.admitted?.rate
      if (rate) reply.headers(rateHeaders(rate, mounting.app))
    },
    onResponse: (request, reply, done) => {
      for (const key of request.keys ?? []) key.release()
      request.claim?.release()
      request.arrived?.()
      mounting.metrics.observeRequest(operation.id, reply.statusCode, reply.elapsedTime / MS_PER_SECOND)
      done()
    },
  })
}

/** What Fastify refuses by itself, a Content-Type that is none, with what this operation takes instead. */
function named(error: { code?: string }, { body }: Operation): unknown {
  return error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && body?.json ? unsupportedMedia(mediaTypesOf(body)) : error
}

function replySchemas({ status, reply: given }: Operation): Record<string, unknown> {
  const schemas: Record<string, unknown> = {}
  if (given?.json) schemas[status] = given.json
  if (given?.otherwise?.json) schemas[given.otherwise.status] = given.otherwise.json
  return schemas
}

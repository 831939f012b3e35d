import { Readable } from 'node:stream'
import type { Operation, Operations } from '@cairnstore/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MS_PER_SECOND } from '../base/clock.ts'
import { unsupportedMedia } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { etagOf } from '../db/versions.ts'
import { tenantOf } from '../tenancy/caller.ts'
import type { RequestKey } from '../tenancy/caller-keys/caller-key.ts'
import { type Event, Reply, Stream } from '../tenancy/handler.ts'
import { type Admitted, admit, admitRate, rateHeaders, whileAdmitted } from './admit.ts'
import { BodyReservation } from './body-quota.ts'
import type { Handler, HttpHandlers } from './context.ts'
import { errorBody, logFault, toFault, writeFault } from './errors.ts'
import type { Share } from './event-loop.ts'
import { inputOf, mediaTypesOf, rulesOf } from './input.ts'
import type { Mounting } from './mounting.ts'
import { disconnectSignal, type MountedOperation, type MountedOperations, perform } from './perform.ts'

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | undefined
    /** Customer-managed keys that the request sent. They are released when it ends. */
    keys: RequestKey[] | undefined
    claim: BodyReservation | undefined
    share: Share | undefined
    /** Tells the fair sharing that the request no longer waits for its slot. */
    arrived: (() => void) | undefined
  }
}

/**
 * Mounts the routes of a set of operations. The checks run in the contract's order: credential, access scope and role
 * before the body is read, then the body's format, then validation, then the handler.
 */
export function mount<Ops extends Operations>(
  server: FastifyInstance,
  operations: Ops,
  handlers: HttpHandlers<Ops>,
  mounting: Mounting,
): void {
  const all = new Map<string, MountedOperation>()
  for (const [id, each] of Object.entries(operations)) {
    const operation = { ...each, id }
    all.set(id, { operation, handler: handlers[id] as unknown as Handler<Operation>, assertRules: rulesOf(operation) })
  }
  for (const each of all.values()) mountOne(server, each, mounting, all)
}

function mountOne(
  server: FastifyInstance,
  mounted: MountedOperation,
  mounting: Mounting,
  all: MountedOperations,
): void {
  const { operation, assertRules } = mounted
  const takeInput = inputOf(operation, mounting.timeouts, assertRules)
  server.route({
    method: operation.method,
    url: operation.path,
    schema: { response: replySchemas(operation) },
    errorHandler: (error, request, reply) => writeFault(named(error, operation), request, reply, mounting.app.log),
    onRequest: async (request) => {
      // A forwarded request is authorized only by the node that handles it.
      request.homeNode = mounting.forwarding?.homeNodeFor(operation, request)
      if (!request.homeNode) await admitLocally(operation, request, mounting)
    },
    handler: async (request, reply) => {
      if (request.homeNode) {
        if (await mounting.forwarding?.send(operation, request, reply)) return reply
        await admitLocally(operation, request, mounting)
      }
      const admitted = request.admitted!
      const tenant = admitted.caller ? tenantOf(admitted.caller) : request.ip
      const claim = new BodyReservation(mounting.bodies, tenant)
      request.claim = claim
      // If the caller disconnects, the response never ends, so the connection's end releases the memory.
      reply.raw.once('close', () => claim.release())
      reply.raw.once('close', () => request.arrived?.())
      const gone = disconnectSignal(reply)
      const taken = await takeInput(request, claim, gone)
      const lines = taken.lines && whileAdmitted(taken.lines, operation, request, mounting)
      const input = lines ? { ...taken, lines } : taken
      const answer = await perform(mounted, mounting, { request, reply, admitted, gone }, input, all)
      claim.releaseSlot()
      return send(operation, request, reply, answer, mounting)
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

/** Authorizes the request and counts it against the rate limit. */
async function admitLocally(operation: Operation, request: FastifyRequest, mounting: Mounting): Promise<void> {
  const admitted = await admit(operation, request, mounting)
  request.admitted = admitted
  if (admitted.rate) await admitRate(request, admitted.rate, mounting.app)
}

/** Adds the accepted media types to Fastify's error about an invalid Content-Type. */
function named(error: { code?: string }, { body }: Operation): unknown {
  return error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && body?.json ? unsupportedMedia(mediaTypesOf(body)) : error
}

function replySchemas({ status, reply: given }: Operation): Record<string, unknown> {
  const schemas: Record<string, unknown> = {}
  if (given?.json) schemas[status] = given.json
  if (given?.otherwise?.json) schemas[given.otherwise.status] = given.otherwise.json
  return schemas
}

/** Maximum milliseconds for which the caller may not read a streamed response. */
const UNREAD_MS_MAX = 60_000
/** Minimum number of characters per write. Otherwise a long export would need one write per line. */
const BATCH_CHARS = 64 * 1024
const SERVER_FAULT = 500
const OK = '200'

/** Sends the result of a handler, with the operation's status and type, unless the result has its own. */
async function send(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  mounting: Mounting,
): Promise<FastifyReply> {
  if (answer instanceof Stream) return sendStream(operation, request, reply, answer, mounting)
  const { status, body, headers } = answer instanceof Reply ? answer : new Reply(operation.status, answer)
  const { reply: given } = operation
  const etag = operation.versioned && etagOf(body)
  reply.code(status).headers({ ...(etag && { etag }), ...headers })
  if (given?.location !== undefined && status === CREATED) {
    reply.header('location', fill(given.location, { ...(request.params as object), ...(body as object) }))
  }
  const type = given?.isWritten ? 'application/json' : given?.text
  if (type !== undefined) reply.type(`${type}; charset=utf-8`)
  return reply.send(body)
}

const CREATED = 201

function fill(path: string, values: Record<string, unknown>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
}

/** Sends a stream. Waits for the first part before the headers, so an early failure is a normal error response. */
async function sendStream(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  stream: Stream,
  mounting: Mounting,
): Promise<FastifyReply> {
  const parts = stream.parts[Symbol.asyncIterator]()
  const first = await parts.next()
  const rest = whileAdmitted(resume(first, parts), operation, request, mounting)
  const encode = {
    'text/event-stream': () => encodeEvents(rest as AsyncIterable<Event>, request, reply, mounting.app.log),
    'application/x-ndjson': () => encodeLines(rest, request.share),
    'application/octet-stream': () => rest as AsyncIterable<Uint8Array>,
  }[stream.type]
  const bytes = Readable.from(encode(), { objectMode: false })
  reply.raw.setTimeout(UNREAD_MS_MAX, () => reply.raw.destroy())
  if (stream.type !== 'application/octet-stream') reply.type(`${stream.type}; charset=utf-8`)
  return reply.headers(stream.headers).send(bytes)
}

async function* resume<T>(first: IteratorResult<T>, parts: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let part = first; part.done !== true; part = await parts.next()) yield part.value
  } finally {
    await parts.return?.()
  }
}

/**
 * Encodes values as lines, in batches. A batch is produced when the caller has read the previous one and the tenant may
 * run.
 */
async function* encodeLines(values: AsyncIterable<unknown>, share: Share | undefined): AsyncGenerator<string> {
  let batch = ''
  try {
    await share?.resume()
    for await (const value of values) {
      batch += `${JSON.stringify(value)}\n`
      if (batch.length >= BATCH_CHARS) {
        share?.pause()
        yield batch
        batch = ''
        await share?.resume()
      }
    }
  } finally {
    share?.pause()
  }
  if (batch !== '') yield batch
}

/**
 * Encodes server-sent events. The event `result` is serialized by the operation's schema, which removes undeclared
 * fields.
 */
async function* encodeEvents(
  events: AsyncIterable<Event>,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): AsyncGenerator<string> {
  try {
    for await (const { event, data } of events) {
      yield toEvent(
        event,
        event === 'result' ? reply.serializeInput(data as Record<string, unknown>, OK) : JSON.stringify(data),
      )
    }
  } catch (thrown) {
    const fault = toFault(thrown)
    if (fault.status >= SERVER_FAULT) logFault(fault, request.id, log)
    yield toEvent('error', JSON.stringify(errorBody(fault, request.id)))
  }
}

function toEvent(name: string, json: unknown): string {
  return `event: ${name}\ndata: ${String(json)}\n\n`
}

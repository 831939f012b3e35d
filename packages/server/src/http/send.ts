import { Readable } from 'node:stream'
import type { Operation } from '@cairnstore/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../base/log.ts'
import { etagOf } from '../db/versions.ts'
import { type Event, Reply, Stream } from '../tenancy/handler.ts'
import { errorBody, logFault, toFault } from './errors.ts'
import type { Share } from './loop-shares.ts'

/** How long a caller may leave a reply in parts unread before it is broken off. */
const UNREAD_MS_MAX = 60_000
/** Lines are sent together up to this size, so that a long export is not a write for each. */
const BATCH_CHARS = 64 * 1024
const SERVER_FAULT = 500
const OK = '200'

/** Sends what a handler answered, with the operation's own status and type unless the answer says otherwise. */
export async function send(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  log: Log,
): Promise<FastifyReply> {
  if (answer instanceof Stream) return sendStream(request, reply, answer, log)
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

/** The first part is awaited before anything is sent, so that a failure before it is an ordinary error. */
async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: Stream,
  log: Log,
): Promise<FastifyReply> {
  const parts = stream.parts[Symbol.asyncIterator]()
  const first = await parts.next()
  const rest = resume(first, parts)
  const isEvents = stream.type === 'text/event-stream'
  const bytes = Readable.from(
    isEvents ? encodeEvents(rest as AsyncIterable<Event>, request, reply, log) : encodeLines(rest, request.share),
    {
      objectMode: false,
    },
  )
  reply.raw.setTimeout(UNREAD_MS_MAX, () => reply.raw.destroy())
  reply.headers(stream.headers).type(`${stream.type}; charset=utf-8`)
  return reply.send(bytes)
}

async function* resume<T>(first: IteratorResult<T>, parts: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let part = first; part.done !== true; part = await parts.next()) yield part.value
  } finally {
    await parts.return?.()
  }
}

/** Each batch is made when the caller has taken the one before, and when its tenant may use the loop again. */
async function* encodeLines(values: AsyncIterable<unknown>, share: Share | undefined): AsyncGenerator<string> {
  let batch = ''
  try {
    await share?.again()
    for await (const value of values) {
      batch += `${JSON.stringify(value)}\n`
      if (batch.length >= BATCH_CHARS) {
        share?.rest()
        yield batch
        batch = ''
        await share?.again()
      }
    }
  } finally {
    share?.rest()
  }
  if (batch !== '') yield batch
}

/** The event named `result` is a reply of the operation, so what its schema does not declare stays here too. */
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

import type { IncomingMessage } from 'node:http'
import { needsAccessScope, type Operation, systemOperations } from '@cairnstore/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createBackoffs } from '../base/backoffs.ts'
import { Fault } from '../base/fault.ts'
import { isId } from '../base/id.ts'
import { traceHeaders } from '../base/observe.ts'
import { answers, type Role } from '../base/role.ts'
import type { HomeNode } from '../store/cluster/pick-home-node.ts'
import type { Planes } from '../store/planes.ts'
import { type Forwarder, OUTCOME_UNKNOWN, openForwarder, Unsent } from './forwarder.ts'
import { NODE_HEADER, nodeHeaderOf, readSigned, signNodeHeader, type VerifiedHeader } from './node-header.ts'
import { readBody } from './read-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Home node to which the request is forwarded. */
    homeNode: HomeNode | undefined
    /** The body, if it was read before forwarding. */
    bufferedBody: Buffer | undefined
    /** True if another process forwarded the request. */
    isForwarded: boolean | undefined
  }
}

/** Forwards requests about a sandbox to its home node. */
export interface Forwarding {
  /** Returns the node that should handle the request; undefined for this one. */
  homeNodeFor(operation: Operation, request: FastifyRequest): HomeNode | undefined
  /** Forwards the request and sends the response. Returns false if this process should handle it after all. */
  send(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<boolean>
  /** Returns the number of forwarded requests since the process started, by outcome. */
  read(): { outcome: string; count: number }[]
  close(): void
}

type ForwardingPlanes = Pick<Planes, 'clock' | 'cluster' | 'log' | 'observe'>

/** Maximum number of requests that are forwarded concurrently. Further ones are handled by this process. */
const FORWARDED_MAX = 512
/** Maximum size of a body that is buffered while it is forwarded. This process can then still handle the request. */
const BUFFERED_BYTES_MAX = 64 * 1024
const BUFFERING_MS_MAX = 30_000
/**
 * Milliseconds for which nothing is forwarded to a process that does not respond, initially and at most. They double
 * with each failure.
 */
const BACKOFF_MS = { first: 500, last: 15_000 } as const

/** Opens the forwarding of requests. The processes share a key with which they sign forwarded requests. */
export function openForwarding({ cluster, clock, log, observe }: ForwardingPlanes, key: Uint8Array): Forwarding {
  const counts = { sent: 0, here: 0, failed: 0 }
  const backoffs = createBackoffs(BACKOFF_MS.first, BACKOFF_MS.last)
  const sending: Forwarder = openForwarder()
  cluster.onChange(() => sending.dropUnless(cluster.isAlive))

  const homeNodeFor: Forwarding['homeNodeFor'] = (operation, request) => {
    const { sandbox_id: id } = request.params as { sandbox_id?: string }
    if (id === undefined || !isForwardable(operation) || !isId('sandbox', id)) return undefined
    // Changes go to the node that has the sandbox's lease, reads to the node that has its graph.
    const node = 'none' in operation.audit ? cluster.homeNodeOf(id) : cluster.workerNodeOf(id)
    if (!node || isHandledHere(request) || sending.count() >= FORWARDED_MAX || !backoffs.isDue(node.id))
      return undefined
    // If several processes have the same URL, a request could be forwarded forever.
    return wasForwardedTo(node, request) ? undefined : node
  }

  const wasForwardedTo = ({ url: to }: HomeNode, { raw, id: requestId }: FastifyRequest): boolean =>
    openHeaderVerifier({ clock }, key, to)(raw, requestId) !== undefined

  const send: Forwarding['send'] = async (operation, request, reply) => {
    const node = request.homeNode!
    const { raw, id: requestId, ip: address, protocol } = request
    const { method = '', url: path = '' } = raw
    const signature = signNodeHeader(key, { to: node.url, method, path, requestId }, { address, protocol }, clock.now())
    const headers = { ...forwardedHeaders(raw.headers), 'x-request-id': requestId, [NODE_HEADER]: signature }
    // Other operations define no body, so none is forwarded.
    const hasBody = operation.body !== undefined
    const forward = () => {
      const framed = hasBody ? framing(request) : {}
      const head = { method, path, headers: { ...headers, ...framed, ...traceHeaders() } }
      return sending.send(node, head, hasBody ? (request.bufferedBody ?? raw) : undefined, reply.raw)
    }
    try {
      request.bufferedBody = hasBody ? await bufferBody(request) : Buffer.alloc(0)
      const answer = await observe('request.forward', forward)
      counts.sent += 1
      backoffs.succeeded(node.id)
      answer.body.once('error', () => {
        if (!reply.raw.destroyed) backoffs.failed(node.id)
      })
      reply.code(answer.status).headers(endToEndHeaders(answer.headers))
      // Fastify's reply is thenable, so returning it would wait for its end.
      reply.send(answer.body)
      return true
    } catch (cause) {
      if (cause instanceof Fault) throw cause
      // If the caller has disconnected, the error says nothing about the node.
      if (reply.raw.destroyed) throw new Fault('unavailable', { note: 'the caller disconnected', cause })
      backoffs.failed(node.id)
      const isWhole = cause instanceof Unsent || request.bufferedBody !== undefined
      const isRepeatable = cause instanceof Unsent || operation.retry === 'safe'
      log.warn('forwarding a request to the home node failed', { error: cause, requestId })
      if (isWhole && isRepeatable) {
        counts.here += 1
        return false
      }
      counts.failed += 1
      throw new Fault('unavailable', { detail: OUTCOME_UNKNOWN, note: 'the home node closed the connection', cause })
    }
  }

  return {
    homeNodeFor,
    send,
    read: () => Object.entries(counts).map(([outcome, count]) => ({ outcome, count })),
    close: sending.close,
  }
}

/** Reads the signed node header of a forwarded request. Returns undefined if none of our processes signed it. */
export type ReadSigned = (raw: IncomingMessage, requestId: string) => VerifiedHeader | undefined

/** Returns a function that verifies the node headers of requests forwarded to this process's URL. */
export function openHeaderVerifier({ clock }: Pick<Planes, 'clock'>, key: Uint8Array, to: string): ReadSigned {
  return (raw, requestId) => {
    const header = nodeHeaderOf(raw)
    const { method = '', url: path = '' } = raw
    return header === undefined ? undefined : readSigned(key, { to, method, path, requestId }, header, clock.now())
  }
}

const NOT_A_WEB_PROCESS =
  'This process is a worker (CAIRN_ROLE=worker) and accepts only requests from other processes. ' +
  'Send requests to a web process.'
const { getHealth, getReadiness, getMetrics } = systemOperations
const WORKER_PATHS: readonly string[] = [getHealth.path, getReadiness.path, getMetrics.path]

/**
 * Sets the caller's address and protocol from a verified node header. It must run before hooks that use them. A worker
 * process rejects requests that were not forwarded, except for health and metrics.
 */
export function trustNodes(server: FastifyInstance, readSigned: ReadSigned, role: Role): void {
  server.addHook('onRequest', (request, _, done) => {
    const signed = readSigned(request.raw, request.id)
    request.isForwarded = signed !== undefined
    if (!signed && !answers(role) && !WORKER_PATHS.includes(request.routeOptions.url ?? '')) {
      return done(new Fault('unavailable', { detail: NOT_A_WEB_PROCESS }))
    }
    if (signed?.vouched) {
      const { address, protocol } = signed.vouched
      Object.defineProperties(request, { ip: { value: address }, protocol: { value: protocol } })
    }
    done()
  })
}

/** Returns true for operations on the data of a sandbox that one process holds in memory. */
function isForwardable(operation: Operation): boolean {
  const { content, calls } = operation
  return needsAccessScope(operation) && (content === 'reads' || content === 'writes' || calls === true)
}

/**
 * Returns true if this process must handle the request. It was already forwarded, or contains an encryption key that no
 * other process may see.
 */
function isHandledHere({ isForwarded, raw: { headers } }: FastifyRequest): boolean {
  return isForwarded === true || Object.keys(headers).some((name) => /^x-(?:new-)?encryption-/.test(name))
}

/** Returns the body if it is small; undefined for one that must be streamed. */
async function bufferBody({ raw }: FastifyRequest): Promise<Buffer | undefined> {
  const { 'content-length': length, 'transfer-encoding': coding } = raw.headers
  if (coding !== undefined || Number(length ?? 0) > BUFFERED_BYTES_MAX) return undefined
  if (length === undefined || length === '0') return Buffer.alloc(0)
  return readBody(raw, Number(length), { maxBytes: BUFFERED_BYTES_MAX, timeoutMs: BUFFERING_MS_MAX })
}

/** Returns the declared length as a header for a streamed body. Undici sets it for all other bodies. */
function framing({ bufferedBody, raw: { headers } }: FastifyRequest): Record<string, string> {
  const { 'content-length': length, 'transfer-encoding': coding } = headers
  return bufferedBody === undefined && coding === undefined && length !== undefined ? { 'content-length': length } : {}
}

/** Hop-by-hop headers (RFC 9110, 7.6.1). In requests, headers that only `Connection` names are forwarded. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings', 'expect', NODE_HEADER],
])

/** Returns the end-to-end headers of a request without its length, which undici sets for the forwarded body. */
function forwardedHeaders<V>(headers: Record<string, V>): Record<string, V> {
  const { 'content-length': _, ...onward } = endToEndHeaders(headers)
  return onward
}

/** Returns the end-to-end headers of a response. */
function endToEndHeaders<V>(headers: Record<string, V>): Record<string, V> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))
}

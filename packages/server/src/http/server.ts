import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Operations, systemOperations } from '@cairn/contract'
import fastify, { type FastifyInstance } from 'fastify'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { App, Handlers } from '../features/handler.ts'
import { type Authenticate, hasDuplicate } from './authenticate.ts'
import { serveDocsParts } from './docs-page.ts'
import { SAFE_HEADERS, writeClientError, writeFault } from './errors.ts'
import { openMetrics } from './metrics.ts'
import { type Mounting, mount, type ReachOf } from './mount.ts'
import { systemHandlers } from './system.ts'

/** How long each stage of a request may take, in milliseconds. */
export interface HttpTimeouts {
  headersMs: number
  bodyMs: number
  /** Between two pieces of a streamed body. */
  streamIdleMs: number
  /** How often stalled connections are looked for. */
  checkMs: number
  /** How long the rest of a refused body may keep coming. */
  lingerMs: number
}

/** What suits the open internet. */
export const TIMEOUTS: HttpTimeouts = {
  headersMs: 15_000,
  bodyMs: 30_000,
  streamIdleMs: 30_000,
  checkMs: 2_000,
  lingerMs: 5_000,
}

/** What the HTTP layer is made from. */
export interface HttpOptions<Ops extends Operations> {
  operations: Ops
  handlers: Handlers<Ops>
  app: App
  authenticate: Authenticate
  reachOf: ReachOf
  /** Whether what the service needs can be used. */
  isReady: () => Promise<boolean>
  version: string
  timeouts?: HttpTimeouts
}

const READINESS_MS = 1000
const HEADER_BYTES_MAX = 16 * 1024
const URL_CHARS_MAX = 8 * 1024
const PARAM_CHARS_MAX = 1024
const SANE_REQUEST_ID = /^[\w.-]{1,64}$/
const REQUEST_PREFIX_BYTES = 9
const REQUEST_COUNT_BASE = 36

/** The HTTP interface: opened with its operations, then listening, then closed. */
export class HttpServer {
  readonly #fastify: FastifyInstance
  readonly #draining: { is: boolean }

  constructor(server: FastifyInstance, draining: { is: boolean }) {
    this.#fastify = server
    this.#draining = draining
  }

  /** Starts listening and returns the address as a URL. */
  listen(host: string, port: number): Promise<string> {
    return this.#fastify.listen({ host, port })
  }

  /** Answers a request without a socket. */
  get inject(): FastifyInstance['inject'] {
    return this.#fastify.inject.bind(this.#fastify)
  }

  /**
   * Says that it is not ready, for `drainMs`, so that no more is sent here; then takes no more connections and waits
   * for the requests that it has, at most `graceMs`.
   */
  async close(drainMs: number, graceMs: number): Promise<void> {
    this.#draining.is = true
    if (drainMs > 0) await new Promise((resolve) => setTimeout(resolve, drainMs))
    const cut = setTimeout(() => this.#fastify.server.closeAllConnections(), graceMs)
    await this.#fastify.close()
    clearTimeout(cut)
  }
}

/** Opens the HTTP layer on these operations, and those that show the service itself. It does not listen yet. */
export async function openHttp<Ops extends Operations>(options: HttpOptions<Ops>): Promise<HttpServer> {
  const { app, authenticate, reachOf, timeouts = TIMEOUTS } = options
  const { log } = app
  const draining = { is: false }
  const server = openFastify(timeouts, log)
  const metrics = openMetrics()
  const mounting: Mounting = { app, authenticate, reachOf, metrics, timeouts }
  const all: Operations = { ...options.operations, ...systemOperations }
  const isReady = cachedReadiness(options.isReady, draining)

  addHooks(server, timeouts, draining)
  server.setErrorHandler((error, request, reply) => writeFault(error, request, reply, log))
  server.setNotFoundHandler((request, reply) => writeFault(missingRoute(all, request.url), request, reply, log))
  mount(server, options.operations, options.handlers, mounting)
  mount(server, systemOperations, systemHandlers(all, options.version, metrics, isReady), mounting)
  serveDocsParts(server)
  await server.ready()
  return new HttpServer(server, draining)
}

function openFastify(timeouts: HttpTimeouts, log: Log): FastifyInstance {
  const server = fastify({
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      // A request without a host is answered like every other that cannot be parsed, with a body.
      requireHostHeader: false,
    },
    // A body's time is counted where it is read: a stream may take as long as it keeps coming.
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_CHARS_MAX },
    genReqId: requestIds(),
    clientErrorHandler: writeClientError,
    frameworkErrors: (error, request, reply) => writeFault(error, request, reply, log),
  })
  server.decorateRequest('admitted', undefined)
  // Bodies are read after the caller's reach is known, by the operation's own rules, so the framework reads none.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return server
}

function addHooks(server: FastifyInstance, timeouts: HttpTimeouts, draining: { is: boolean }): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(SAFE_HEADERS).header('x-request-id', request.id)
    done(requestFault(request.raw))
  })
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining.is) reply.header('connection', 'close')
    done()
  })
  server.addHook('onResponse', (request, _reply, done) => {
    if (request.raw.complete === false) linger(request.raw, timeouts.lingerMs)
    done()
  })
}

/** What is wrong with a request whatever it asks for. */
function requestFault(raw: IncomingMessage): Fault | undefined {
  if ((raw.url ?? '').length > URL_CHARS_MAX) return new Fault('uri_too_long')
  if (raw.headers.host === undefined && raw.httpVersion !== '1.0') {
    return new Fault('bad_request', { detail: 'The Host header is missing.' })
  }
  return hasDuplicate(raw) ? new Fault('duplicate_header') : undefined
}

/** Lets the rest of a body come for a while, unread, so that its sender gets to see the reply; then hangs up. */
function linger(raw: IncomingMessage, lingerMs: number): void {
  raw.resume()
  const timer = setTimeout(() => raw.socket.destroy(), lingerMs)
  timer.unref()
  raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

/** The caller's request id when it is sane, else one that no other request has. */
function requestIds(): (raw: IncomingMessage) => string {
  const prefix = randomBytes(REQUEST_PREFIX_BYTES).toString('base64url')
  let count = 0
  return (raw) => {
    const given = raw.headers['x-request-id']
    if (typeof given === 'string' && SANE_REQUEST_ID.test(given)) return given
    count += 1
    return `${prefix}.${count.toString(REQUEST_COUNT_BASE)}`
  }
}

/** 405 with the methods that a path has, 404 for a path that has none. */
function missingRoute(operations: Operations, url: string): Fault {
  const [path = ''] = url.split('?', 1)
  const methods = Object.values(operations)
    .filter((operation) => new RegExp(`^${operation.path.replace(/:\w+/g, '[^/]+')}$`).test(path))
    .map((operation) => operation.method)
  if (methods.length === 0) return new Fault('not_found')
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  return new Fault('method_not_allowed', { headers: { allow: [...new Set(allowed)].sort().join(', ') } })
}

function cachedReadiness(isReady: () => Promise<boolean>, draining: { is: boolean }): () => Promise<boolean> {
  let latest: { at: number; answer: Promise<boolean> } | undefined
  return () => {
    if (draining.is) return Promise.resolve(false)
    const at = performance.now()
    if (latest === undefined || at - latest.at > READINESS_MS) latest = { at, answer: isReady().catch(() => false) }
    return latest.answer
  }
}

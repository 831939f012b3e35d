import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Operations, systemOperations } from '@cairnstore/contract'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import { type Authenticate, hasDuplicate } from './authenticate.ts'
import { type BodyQuotas, openBodyQuotas } from './body-quota.ts'
import { serveConsole } from './console-page.ts'
import type { HttpApp, HttpHandlers } from './context.ts'
import { serveDocsParts } from './docs-page.ts'
import { answerMissing, writeClientError, writeFault } from './errors.ts'
import { openLoopShares, PRESSURE_LIMITS, type PressureLimits, shedUnderPressure } from './event-loop.ts'
import { type Forwarding, type ReadSigned, trustNodes } from './forwarding.ts'
import { framingFault, hasUndefinedBody } from './framing.ts'
import { serveGuide } from './guide/serve-guide.ts'
import type { InputTimeouts } from './input.ts'
import { type ListenerOptions, openListener } from './listener.ts'
import { admitScrapers, type Metrics, openMetrics, type ScraperRules } from './metrics.ts'
import { mount } from './mount.ts'
import type { FindAccess, Mounting } from './mounting.ts'
import { serveAgentsPage, throttlePublicPages } from './public-pages.ts'
import { registerMetrics } from './register-metrics.ts'
import { logRequests } from './request-log.ts'
import { allowOrigins, SAFE_HEADERS, TLS_HEADERS } from './safe-headers.ts'
import { openSlotQueue, PARSING_LIMITS, SLOT_LIMITS, type SlotClass, type SlotLimits } from './slot-queue.ts'
import { cachedReadiness, systemHandlers } from './system.ts'
import { traceRequests } from './trace-requests.ts'

/** Timeouts for the stages of a request, in milliseconds. */
interface HttpTimeouts extends InputTimeouts {
  headersMs: number
  /** Milliseconds between two checks for stalled connections. */
  checkMs: number
  /** Maximum milliseconds to receive the rest of a rejected body. */
  lingerMs: number
}

/** Timeouts for the public internet. */
export const TIMEOUTS: HttpTimeouts = {
  headersMs: 15_000,
  bodyMs: 30_000,
  streamIdleMs: 30_000,
  checkMs: 2_000,
  lingerMs: 5_000,
}

export interface HttpOptions<Ops extends Operations> {
  operations: Ops
  handlers: HttpHandlers<Ops>
  app: HttpApp
  authenticate: Authenticate
  accessOf: FindAccess
  /** Returns true if the services on which this one depends are available. */
  isReady: () => Promise<boolean>
  version: string
  /** Proxies whose X-Forwarded headers are trusted: all, none, or those with these addresses. */
  trustProxy?: boolean | string[]
  /** Sites whose pages may use the API; none if omitted. */
  origins?: readonly string[]
  /** Rules for reading the metrics. If omitted, they can be read only from this machine. */
  scrapers?: ScraperRules
  /** Metrics registry; a new one if omitted. */
  metrics?: Metrics
  /** True if tracing is on. */
  hasTraces?: boolean
  /** Forwards requests to the home node of their sandbox. Undefined if there are no other nodes. */
  forwarding?: Forwarding
  readSigned?: ReadSigned
  /** Called after an operation has changed a sandbox or one of its sources. */
  changed?: (sandboxId: string) => void
  /** Folder of the built console; the packaged one if omitted. */
  consoleFolder?: string
  /** Maximum open connections; the system's limit if omitted. */
  connectionsMax?: number
  timeouts?: HttpTimeouts
  slotLimits?: Readonly<Record<SlotClass, SlotLimits>>
  pressureLimits?: PressureLimits
  /** Memory quotas for bodies; derived from the heap size if omitted. */
  bodyQuotas?: BodyQuotas
}

/** Milliseconds for which an idle connection is kept open. This is longer than the idle timeout of common proxies. */
const KEEP_ALIVE_MS = 72_000
const IDLE_SWEEP_MS = 100
/** Milliseconds without a new request or connection that count as quiet: more than one event loop iteration. */
const QUIET_MS = 50
const QUIET_WAIT_MS_MAX = 5_000
const HEADER_BYTES_MAX = 16 * 1024
/** Maximum number of header lines. It is above what clients send, and low enough to check each line. */
const HEADERS_MAX = 2_000
/**
 * Limit of the HTTP parser in bytes. It is above HEADER_BYTES_MAX, so that slightly larger headers get a normal error
 * response.
 */
const HEAD_BYTES_MAX = 48 * 1024
const URL_CHARS_MAX = 8 * 1024
const PARAM_CHARS_MAX = 1024
const SANE_REQUEST_ID = /^[\w.-]{1,64}$/
const REQUEST_PREFIX_BYTES = 9
const REQUEST_COUNT_BASE = 36

/** The HTTP server. Call `openHttp`, then `listen`, then `close`. */
export class HttpServer {
  readonly #fastify: FastifyInstance
  readonly #stopping: AbortController
  #arrived = 0

  constructor(server: FastifyInstance, stopping: AbortController) {
    this.#fastify = server
    this.#stopping = stopping
    for (const event of ['connection', 'request'] as const) {
      server.server.on(event, () => {
        this.#arrived += 1
      })
    }
  }

  /** Starts listening and returns the address as a URL. */
  listen(host: string, port: number): Promise<string> {
    return this.#fastify.listen({ host, port })
  }

  /** Handles a request without a socket. */
  get inject(): FastifyInstance['inject'] {
    return this.#fastify.inject.bind(this.#fastify)
  }

  /**
   * Keeps serving for `drainMs`, but reports that it is not ready and sends `Connection: close`. Then waits until no
   * new requests arrive. Otherwise requests that were already sent would be lost.
   */
  async drain(drainMs: number): Promise<void> {
    this.#stopping.abort()
    await sleep(drainMs)
    const latest = performance.now() + QUIET_WAIT_MS_MAX
    for (let seen = -1; seen !== this.#arrived && performance.now() < latest; ) {
      seen = this.#arrived
      await sleep(QUIET_MS)
    }
  }

  /** Stops accepting connections and waits for running requests, but at most `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#stopping.abort()
    const { server } = this.#fastify
    // A connection whose last response began before the shutdown did not get `Connection: close`.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    await this.#fastify.close()
    clearInterval(sweep)
    clearTimeout(cut)
  }
}

/** Opens the HTTP server with these operations and the system operations. It does not listen yet. */
export async function openHttp<Ops extends Operations>(options: HttpOptions<Ops>): Promise<HttpServer> {
  const { app, authenticate, accessOf, timeouts = TIMEOUTS, slotLimits = SLOT_LIMITS } = options
  const { log } = app
  const stopping = new AbortController()
  // Every long request adds a listener. By default Node warns of a leak from the eleventh on.
  setMaxListeners(0, stopping.signal)
  const server = openFastify(options, timeouts)
  const metrics = options.metrics ?? openMetrics()
  const shares = openLoopShares()
  const slots = {
    question: openSlotQueue(slotLimits.question, { counted: app.questions, shares }),
    flow: openSlotQueue(slotLimits.flow, { shares }),
    public: openSlotQueue(slotLimits.public),
    other: openSlotQueue(slotLimits.other, { shares }),
  }
  if (app.deliveries) registerMetrics(metrics, app, options)
  const { changed = () => undefined } = options
  const bodies = { quotas: options.bodyQuotas ?? openBodyQuotas(), parsing: openSlotQueue(PARSING_LIMITS) }
  const { forwarding } = options
  const shared = { app, authenticate, accessOf, metrics, timeouts, slots, bodies, shares, forwarding, changed }
  const mounting: Mounting = { ...shared, stopping: stopping.signal }
  const all: Operations = { ...options.operations, ...systemOperations }
  const isReady = cachedReadiness(options.isReady, stopping.signal)

  if (options.hasTraces) traceRequests(server)
  if (options.readSigned) trustNodes(server, options.readSigned, app.cluster.role)
  addHooks(server, timeouts, stopping.signal)
  await allowOrigins(server, options.origins ?? [])
  logRequests(server, log)
  shedUnderPressure(
    server,
    options.pressureLimits ?? PRESSURE_LIMITS,
    () => slots.question.count() + slots.flow.count() + slots.other.count(),
  )
  const { scrapers = { keyHash: null, isOpen: false }, trustProxy = false } = options
  throttlePublicPages(server, stopping.signal)
  admitScrapers(server, scrapers, { authenticate, hasProxy: trustProxy !== false })
  server.setErrorHandler((error, request, reply) => writeFault(error, request, reply, log))
  answerMissing(server, all, log)
  mount(server, options.operations, options.handlers, mounting)
  mount(server, systemOperations, systemHandlers(all, options.version, metrics, isReady), mounting)
  serveDocsParts(server)
  serveAgentsPage(server, app.publicUrl)
  serveConsole(server, Boolean(app.oidc), options.consoleFolder)
  serveGuide(server)
  await server.ready()
  return new HttpServer(server, stopping)
}

/** Names of the properties that are added to each request. */
const ON_REQUESTS = 'accountId admitted arrived bufferedBody claim fault homeNode isForwarded keys share span'.split(
  ' ',
)

type FastifyFrom = Pick<HttpOptions<Operations>, 'app' | 'trustProxy' | 'connectionsMax'>

function openFastify({ app: { log }, ...options }: FastifyFrom, timeouts: HttpTimeouts): FastifyInstance {
  const listener: ListenerOptions = {
    connectionsMax: options.connectionsMax ?? Number.POSITIVE_INFINITY,
    maxHeaderSize: HEAD_BYTES_MAX,
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The time for a body is limited where it is read. A stream may last as long as data arrives.
    requestTimeout: 0,
    // A request without a Host header gets the same error body as other invalid requests.
    requireHostHeader: false,
    // Overrides NODE_OPTIONS. A lenient parser could interpret a request differently from the proxy in front of it.
    insecureHTTPParser: false,
  }
  const server = fastify({
    serverFactory: (answer) => openListener(listener, answer, log),
    trustProxy: options.trustProxy ?? false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: PARAM_CHARS_MAX },
    genReqId: requestIds(),
    clientErrorHandler: (error, socket) => writeClientError(error, socket, log),
    frameworkErrors: (error, request, reply) => writeFault(error, request, reply, log),
  })
  for (const name of ON_REQUESTS) server.decorateRequest(name, undefined)
  // Fastify reads no bodies. They are read after authorization, with the limits of the operation.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return server
}

function addHooks(server: FastifyInstance, timeouts: HttpTimeouts, stopping: AbortSignal): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(SAFE_HEADERS).header('x-request-id', request.id)
    if (request.protocol === 'https') reply.headers(TLS_HEADERS)
    const fault = requestFault(request)
    if (fault !== undefined || hasUndefinedBody(request.raw)) reply.header('connection', 'close')
    done(fault)
  })
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (stopping.aborted) reply.header('connection', 'close')
    done()
  })
  server.addHook('onResponse', (request, _reply, done) => {
    if (request.raw.complete === false) linger(request.raw, timeouts.lingerMs)
    done()
  })
}

/** Returns the fault of a malformed request. It does not depend on the route. */
function requestFault({ raw, isForwarded }: FastifyRequest): Fault | undefined {
  if ((raw.url ?? '').length > URL_CHARS_MAX) return new Fault('uri_too_long')
  const isTooLarge = headerBytes(raw) > HEADER_BYTES_MAX || raw.rawHeaders.length > 2 * HEADERS_MAX
  // The process that forwarded the request has checked the caller's headers and added its own.
  if (isTooLarge && isForwarded !== true) return new Fault('headers_too_large')
  const { expect } = raw.headers
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new Fault('invalid_header', { detail: 'The only supported value of Expect is 100-continue.' })
  }
  if (raw.headers.host === undefined && raw.httpVersion !== '1.0') {
    return new Fault('bad_request', { detail: 'The Host header is missing.' })
  }
  return framingFault(raw) ?? (hasDuplicate(raw) ? new Fault('duplicate_header') : undefined)
}

function headerBytes({ rawHeaders }: IncomingMessage): number {
  let bytes = 0
  for (const part of rawHeaders) bytes += part.length
  return bytes
}

/** Discards the rest of a body for a while, so that the sender can read the response. Then disconnects. */
function linger(raw: IncomingMessage, lingerMs: number): void {
  raw.resume()
  const timer = setTimeout(() => raw.socket.destroy(), lingerMs)
  timer.unref()
  raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

/** Returns a function that returns the caller's request id if it is valid, otherwise a new one. */
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

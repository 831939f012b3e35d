import type { ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import { Agent, buildConnector, type Dispatcher, errors } from 'undici'
import { Fault } from '../base/fault.ts'
import type { HomeNode } from '../store/cluster/pick-home-node.ts'

/** Thrown if no part of the request was sent to the other process. */
export class Unsent extends Error {
  override name = 'Unsent'
}

/** Error detail for a request that may or may not have been executed. */
export const OUTCOME_UNKNOWN =
  'The process that handles this sandbox closed the connection, so the request may or may not have been executed. ' +
  'Check, or send it again: with the same Idempotency-Key or external_id it is executed only once.'

/** Forwards requests to other processes over pooled connections. */
export interface Forwarder {
  /**
   * Forwards a request. Resolves with the headers of the response, and rejects with `Unsent` if nothing was sent.
   * Aborts the request when the caller disconnects. A response that breaks off ends with the fault `unavailable`.
   */
  send(node: HomeNode, head: RequestHead, body: RequestBody, caller: ServerResponse): Promise<ForwardedReply>
  /** Returns the number of requests in flight. */
  count(): number
  /** Aborts the requests to processes that are not alive. */
  dropUnless(isAlive: (node: HomeNode) => boolean): void
  /** Aborts all requests and closes all connections. */
  close(): void
}

interface RequestHead {
  method: string
  path: string
  headers: Record<string, string | string[] | undefined>
}

/** A complete body, or a stream to forward. Undefined for a request without a body. */
type RequestBody = Buffer | Readable | undefined

/** A response: its head, and its body as a stream. */
export interface ForwardedReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

/**
 * Maximum milliseconds to connect. Connecting takes about a millisecond. A process that takes longer is down, although
 * this is not known yet.
 */
const CONNECT_MS_MAX = 1_000
/** Maximum milliseconds to wait for response headers. Waiting for a job takes about a minute at most. */
const HEADERS_MS_MAX = 90_000
/**
 * Maximum milliseconds without response data. The other process has a shorter limit, so it ends a stalled stream first.
 */
const SILENT_MS_MAX = 90_000
/**
 * Milliseconds to keep an idle connection. It is less than the other side's keep-alive time, so that a connection is
 * not used while the other side closes it.
 */
const KEEP_ALIVE_MS = 30_000

/** A running timer. Node's timers have this interface. */
export interface SilenceTimer {
  /** Restarts the timer, even if it has already fired. */
  refresh(): unknown
  close(): unknown
}

/** Starts a timer that calls `run` once. */
export type StartTimer = (run: () => void, ms: number) => SilenceTimer

const startTimerOfNode: StartTimer = (run, ms) => setTimeout(run, ms).unref()

/** Opens a pool of connections to other processes. It connects when the first request is sent. */
export function openForwarder({ startTimer = startTimerOfNode }: { startTimer?: StartTimer } = {}): Forwarder {
  const dial = buildConnector({ timeout: CONNECT_MS_MAX, allowH2: false })
  const agent = new Agent({
    allowH2: false,
    // One request at a time per connection. A body that differs from its declared length is rejected.
    pipelining: 1,
    strictContentLength: true,
    headersTimeout: HEADERS_MS_MAX,
    // Each exchange measures the time without data itself.
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: (options, connected) => {
      const { hostname } = options
      dial({ ...options, ...(isIP(hostname) === 0 ? { servername: hostname } : { servername: '' }) }, connected)
    },
  })
  const inFlight = new Map<Exchange, HomeNode>()

  const send: Forwarder['send'] = (node, head, body, caller) =>
    new Promise((resolve, reject) => {
      const { origin, hostname } = new URL(node.url)
      const sent = body instanceof Readable ? copyStream(body) : body
      const gone = () => exchange.stop(new Error('the caller disconnected'))
      const ended = () => {
        inFlight.delete(exchange)
        caller.off('close', gone)
        if (sent instanceof Readable) sent.destroy()
      }
      const exchange = openExchange({ resolve, reject, ended, startTimer })
      inFlight.set(exchange, node)
      caller.once('close', gone)
      // Otherwise undici would take the TLS server name from the caller's Host header.
      const options = { ...head, origin, servername: hostname, body: sent }
      agent.dispatch(options as Dispatcher.DispatchOptions, exchange.handler)
    })

  return {
    send,
    count: () => inFlight.size,
    dropUnless: (isAlive) => {
      for (const [exchange, node] of inFlight)
        if (!isAlive(node)) exchange.stop(new Error('the process is no longer alive'))
    },
    close: () => {
      for (const exchange of inFlight.keys()) exchange.stop(new Error('the service is stopping'))
      void agent.destroy()
    },
  }
}

/** A request and its response. */
interface Exchange {
  readonly handler: Dispatcher.DispatchHandler
  /** Aborts the exchange. */
  stop(cause: Error): void
}

/** Returns the error for an unsent request. If the request is invalid, the other process has not failed. */
function unsent(cause: Error): Error {
  if (!(cause instanceof errors.InvalidArgumentError)) return new Unsent('no connection', { cause })
  return new Fault('bad_request', { note: 'the request cannot be forwarded', cause })
}

interface Outcome {
  resolve(reply: ForwardedReply): void
  reject(cause: Error): void
  /** Called once the exchange is over in both directions. */
  ended(): void
  startTimer: StartTimer
}

function openExchange({ resolve, reject, ended, startTimer }: Outcome): Exchange {
  let controller: Dispatcher.DispatchController | undefined
  let stopped: Error | undefined
  let body: Readable | undefined
  let silence: SilenceTimer | undefined
  let isPaused = false
  const fail = (cause: Error) => {
    silence?.close()
    reject(controller ? cause : unsent(cause))
    body?.destroy(
      new Fault('unavailable', { detail: OUTCOME_UNKNOWN, note: 'the home node closed the connection', cause }),
    )
    ended()
  }
  return {
    stop: (cause) => {
      stopped = cause
      if (controller) controller.abort(cause)
      else fail(cause)
    },
    handler: {
      onRequestStart: (begun) => {
        if (stopped) return begun.abort(stopped)
        controller = begun
      },
      onResponseStart: (control, status, headers) => {
        if (status < FINAL_STATUS_MIN) return
        const destroy = (cause: Error | null, done: (cause: Error | null) => void) => {
          if (body?.readableEnded !== true) control.abort(cause ?? new Error('the response was canceled'))
          done(cause)
        }
        const read = () => {
          isPaused = false
          silence?.refresh()
          control.resume()
        }
        body = new Readable({ read, destroy })
        body.on('error', IGNORE_ERROR)
        // While the caller does not read, missing data does not mean that the process has stopped sending.
        const isSilent = () => isPaused || control.abort(new Error('the response stalled'))
        silence = startTimer(isSilent, SILENT_MS_MAX)
        resolve({ status, headers, body })
      },
      onResponseData: (control, chunk) => {
        silence?.refresh()
        if (body?.push(chunk) !== false) return
        isPaused = true
        control.pause()
      },
      onResponseEnd: () => {
        silence?.close()
        body?.push(null)
        ended()
      },
      onResponseError: (_, cause) => fail(cause),
    },
  }
}

const FINAL_STATUS_MIN = 200
/** Error listener that does nothing. Without one, a stream error would end the process. Readers still get it. */
const IGNORE_ERROR = () => undefined

/**
 * Returns a copy of a stream. The stream is not read before the copy is, so this process can still handle a request
 * that was not sent. Destroying the copy does not close the stream, because the response uses the same connection.
 */
function copyStream(stream: Readable): Readable {
  let isRead = false
  const take = (chunk: Buffer) => {
    if (!copy.push(chunk)) stream.pause()
  }
  const end = () => void copy.push(null)
  const fail = (cause?: Error) => {
    if (!stream.readableEnded) copy.destroy(cause ?? new Error('the body ended early'))
  }
  const read = () => {
    if (!isRead) stream.on('data', take).on('end', end).on('error', fail).on('close', fail)
    isRead = true
    stream.resume()
  }
  const destroy = (cause: Error | null, done: (cause: Error | null) => void) => {
    if (isRead) stream.off('data', take).off('end', end).off('error', fail).off('close', fail).pause()
    done(cause)
  }
  const copy = new Readable({ read, destroy })
  return copy.on('error', IGNORE_ERROR)
}

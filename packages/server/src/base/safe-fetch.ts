import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, fetch as dial, type Response as UndiciResponse } from 'undici'
import type { Observe } from './observe.ts'
import { PullFailure } from './pull-failure.ts'
import { abortedBy, timeoutSignal } from './timeout-signal.ts'

/** Allowed addresses and response limits. */
export interface SafeFetchOptions {
  /** True to allow addresses of this machine, with or without TLS. Only for development and tests. */
  allowLoopback: boolean
  /** True to allow ports other than 443, which object stores use. Default false. */
  anyPort?: boolean
  /** Maximum bytes of a decoded body. Default 4 MiB. */
  bytesMax?: number
  /** Milliseconds from the call to the last byte. Default 10 s. */
  totalMs?: number
  /** Resolves host names. By default the system's resolver is used. */
  resolve?: Resolve
}

/** Resolves a name to all its current addresses. */
export type Resolve = (name: string) => Promise<string[]>

export interface ResponseBounds {
  bytesMax: number
  totalMs: number
}

/** A `fetch` for untrusted URLs, with protection against SSRF. */
export interface SafeFetch {
  /**
   * Fetches a whole response. Rejects with a PullFailure: `blocked_address` for an internal address, `redirected` with
   * the unchecked target, `too_large`, `timeout`, or `unreachable`, which includes a truncated body.
   */
  fetch: typeof globalThis.fetch
  /** Returns a `fetch` with a streamed body and its own limits. Reading the body throws the same PullFailures. */
  streaming(bounds: ResponseBounds): typeof globalThis.fetch
  /**
   * Throws a PullFailure, `misconfigured` or `blocked_address`, for a URL that must not be called. A name that cannot
   * be resolved is accepted, because addresses are checked again at each call.
   */
  assertCallable(url: URL): Promise<void>
  close(): Promise<void>
}

/** Wraps a network so that each request of a connector is measured until its response begins. */
export function observedNetwork(network: SafeFetch, observe: Observe): SafeFetch {
  const observed =
    (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
    (...args) =>
      observe('connector.request', () => fetch(...args))
  return { ...network, fetch: observed(network.fetch), streaming: (bounds) => observed(network.streaming(bounds)) }
}

const BYTES_MAX = 4 * 1024 * 1024
const TOTAL_MS = 10_000
const CONNECT_MS = 5_000
const SOCKETS_MAX = 16
const HEADER_BYTES_MAX = 16 * 1024
/** Matches names of this machine or its local network. They are rejected without being resolved. */
const INNER_NAME = /^[^.]+$|(^|\.)(localhost|local|internal|lan|home\.arpa)$/
const HTTPS_PORT = '443'
/** Minimum port number other than 443. Lower ports belong to other protocols. */
const OWN_PORT_MIN = 1024
/** Public addresses at which a cloud provider offers an internal service: Azure's wire server. */
const DENIED = new Set(['168.63.129.16'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const BODILESS = new Set([204, 205, 304])
const HEADERS_OVERFLOW = 'UND_ERR_HEADERS_OVERFLOW'

/** Opens a `fetch` that connects only to public addresses. The resolved address is checked when connecting. */
export function openSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { allowLoopback, anyPort = false, bytesMax = BYTES_MAX, totalMs = TOTAL_MS, resolve = lookUp } = options
  const agent = new Agent({
    connect: guardedConnector(resolve, allowLoopback),
    connections: SOCKETS_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
  })
  const streaming =
    (bounds: ResponseBounds): typeof globalThis.fetch =>
    async (input, init = {}) => {
      const url = new URL(input instanceof Request ? input.url : input)
      assertAllowed(url, allowLoopback, anyPort)
      const timeout = timeoutSignal(bounds.totalMs)
      const stop = abortedBy(timeout, ...(init.signal ? [init.signal] : []))
      const headers = new Headers(init.headers)
      headers.set('accept-encoding', 'identity')
      const failed = (cause: unknown) => {
        const failure = init.signal?.aborted ? init.signal.reason : failureOf(cause, timeout.aborted)
        stop.abort()
        return failure
      }
      const { method = 'GET' } = init
      const body = (init.body ?? null) as string | null
      const request = { method, body, headers: [...headers], redirect: 'manual' as const, dispatcher: agent }
      const answer = await dial(url, { ...request, signal: stop.signal }).catch((cause: unknown) => {
        throw failed(cause)
      })
      if (REDIRECTS.has(answer.status)) {
        await answer.body?.cancel()
        throw failed(new PullFailure('redirected', { location: answer.headers.get('location') ?? undefined }))
      }
      const parts = { status: answer.status, statusText: answer.statusText, headers: [...answer.headers] }
      if (BODILESS.has(answer.status) || !answer.body) {
        stop.abort()
        return new Response(null, parts)
      }
      return new Response(bounded(answer.body, bounds.bytesMax, { failed, stop }), parts)
    }
  const whole = streaming({ bytesMax, totalMs })
  return {
    fetch: async (input, init) => {
      const answer = await whole(input, init)
      const bytes = answer.body && (await answer.arrayBuffer())
      return new Response(bytes, answer)
    },
    streaming,
    assertCallable: async (url) => {
      assertAllowed(url, allowLoopback, anyPort)
      const addresses = await resolve(hostName(url.hostname)).catch(() => [])
      if (!addresses.every((one) => isDialable(one, allowLoopback))) throw new PullFailure('blocked_address')
    },
    close: () => agent.destroy(),
  }
}

/** Controls for aborting a response body, and the mapping of its errors. */
interface BodyAbort {
  readonly failed: (cause: unknown) => unknown
  /** Aborted to stop reading the body, and also after the whole body was read. */
  readonly stop: AbortController
}

/** Returns a body of at most `bytesMax` bytes. Reading a longer one, or an error, fails with a PullFailure. */
function bounded(
  body: NonNullable<UndiciResponse['body']>,
  bytesMax: number,
  { failed, stop }: BodyAbort,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  // The request may no longer listen to its signal, but the body must. Unread data is discarded.
  const end = () => void reader.cancel().catch(() => undefined)
  if (stop.signal.aborted) end()
  else stop.signal.addEventListener('abort', end, { once: true })
  let size = 0
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read()
        stop.signal.throwIfAborted()
        size += value?.byteLength ?? 0
        if (size > bytesMax) throw new PullFailure('too_large')
        if (value) controller.enqueue(value)
        if (!done) return
        stop.abort()
        controller.close()
      } catch (cause) {
        controller.error(failed(cause))
      }
    },
    cancel: () => stop.abort(),
  })
}

function failureOf(cause: unknown, isLate: boolean): PullFailure {
  if (isLate) return new PullFailure('timeout', { cause })
  for (let inner = cause; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof PullFailure) return inner
    if ((inner as NodeJS.ErrnoException).code === HEADERS_OVERFLOW) return new PullFailure('too_large', { cause })
  }
  return new PullFailure('unreachable', { cause })
}

/** Throws a PullFailure for a URL that cannot belong to a provider. Names are resolved and checked when connecting. */
export function assertAllowed(url: URL, allowLoopback: boolean, anyPort = false): void {
  const name = hostName(url.hostname)
  const isInner = ipaddr.isValid(name) || INNER_NAME.test(name)
  if (url.username || url.password || !['https:', 'http:'].includes(url.protocol))
    throw new PullFailure('misconfigured')
  if (allowLoopback && isLoopback(name)) return
  if (isInner) throw new PullFailure('blocked_address')
  const port = url.port || HTTPS_PORT
  const isPort = port === HTTPS_PORT || (anyPort && Number(port) >= OWN_PORT_MIN)
  if (url.protocol !== 'https:' || !isPort) throw new PullFailure('misconfigured')
}

function hostName(host: string): string {
  return host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** Returns true for a host name or an address of this machine. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || (ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback')
}

/** IPv6 range that IANA has allocated for global use. Other ranges are reserved or unallocated. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number]

function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_IPV6)
}

/** Returns true if connections to an address are allowed. */
export function isDialable(address: string, allowLoopback: boolean): boolean {
  if (!ipaddr.isValid(address)) return false
  const plain = ipaddr.process(address)
  if (plain.range() === 'loopback') return allowLoopback
  return plain.range() === 'unicast' && isGlobal(plain) && !DENIED.has(plain.toString())
}

/**
 * Creates a connector that resolves a name once and rejects it if any of its addresses is internal. It then connects to
 * an address that was checked, which prevents DNS rebinding.
 */
function guardedConnector(resolve: Resolve, allowLoopback: boolean): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_MS })
  return (options, callback) => {
    const name = hostName(options.hostname)
    resolve(name).then(
      (addresses) => {
        const [first] = addresses
        if (!first || !addresses.every((one) => isDialable(one, allowLoopback))) {
          return callback(new PullFailure('blocked_address'), null)
        }
        const servername = options.servername || (ipaddr.isValid(name) ? undefined : name)
        const target = { ...options, hostname: first, ...(servername && { servername }) }
        connect(target, (error, socket) => {
          if (!socket) return callback(error ?? new PullFailure('unreachable'), null)
          if (isDialable(socket.remoteAddress ?? '', allowLoopback)) return callback(null, socket)
          socket.destroy()
          callback(new PullFailure('blocked_address'), null)
        })
      },
      (cause: unknown) => callback(new PullFailure('unreachable', { cause }), null),
    )
  }
}

/** Resolves the addresses of a host. Throws a PullFailure if any of them is not allowed. */
export async function dialable(host: string, allowLoopback: boolean): Promise<string[]> {
  const addresses = await lookUp(hostName(host))
  if (addresses.length > 0 && addresses.every((one) => isDialable(one, allowLoopback))) return addresses
  throw new PullFailure('blocked_address')
}

async function lookUp(name: string): Promise<string[]> {
  if (ipaddr.isValid(name)) return [name]
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

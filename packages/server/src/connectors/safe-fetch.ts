import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, fetch as dial } from 'undici'
import { PullFailure } from './pull.ts'

/** What may be asked for, and how much of an answer is taken. */
export interface SafeFetchOptions {
  /** Whether addresses of this machine may be dialled, also without TLS. For development and tests. */
  allowLoopback: boolean
  /** Bytes of a decoded body. Default 4 MiB. */
  bytesMax?: number
  /** From the call to the last byte. Default 10 s. */
  totalMs?: number
}

/** A `fetch` for addresses that someone else chose. */
export interface SafeFetch {
  /**
   * Fetches a whole answer. Rejects with a PullFailure: `blocked_address` for one inside a network, `redirected`,
   * `too_large`, `timeout` and `unreachable`, which also stands for a body that broke off.
   */
  fetch: typeof globalThis.fetch
  close(): Promise<void>
}

const BYTES_MAX = 4 * 1024 * 1024
const TOTAL_MS = 10_000
const CONNECT_MS = 5_000
const SOCKETS_MAX = 16
const HEADER_BYTES_MAX = 16 * 1024
/** Names that stand for this machine or its network whatever they resolve to. */
const INNER_NAME = /^[^.]+$|(^|\.)(localhost|local|internal|lan|home\.arpa)$/
const HTTPS_PORT = '443'
/** Addresses that a cloud answers on from inside, though they count as public: Azure's wire server. */
const DENIED = new Set(['168.63.129.16'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const BODILESS = new Set([204, 205, 304])

/** Opens a `fetch` that dials public addresses alone, whatever a name resolves to at the moment of dialling. */
export function openSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { allowLoopback, bytesMax = BYTES_MAX, totalMs = TOTAL_MS } = options
  const agent = new Agent({
    connect: guardedConnector(allowLoopback),
    connections: SOCKETS_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
  })
  const guarded: typeof globalThis.fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    assertAllowed(url, allowLoopback)
    const late = AbortSignal.timeout(totalMs)
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late
    const headers = new Headers(init.headers)
    headers.set('accept-encoding', 'identity')
    try {
      const { method = 'GET' } = init
      const body = (init.body ?? null) as string | null
      const answer = await dial(url, {
        method,
        body,
        headers: [...headers],
        signal,
        redirect: 'manual',
        dispatcher: agent,
      })
      if (REDIRECTS.has(answer.status)) {
        await answer.body?.cancel()
        throw new PullFailure('redirected')
      }
      const bytes = await readAll(answer.body, bytesMax)
      const parts = { status: answer.status, statusText: answer.statusText, headers: [...answer.headers] }
      return new Response(BODILESS.has(answer.status) ? null : bytes, parts)
    } catch (cause) {
      if (init.signal?.aborted) throw init.signal.reason
      throw failureOf(cause, late.aborted)
    }
  }
  return { fetch: guarded, close: () => agent.destroy() }
}

async function readAll(body: AsyncIterable<Uint8Array> | null, bytesMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.byteLength
    // Leaving the loop cancels the body, so that no more of it is read.
    if (size > bytesMax) throw new PullFailure('too_large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function failureOf(cause: unknown, isLate: boolean): PullFailure {
  if (isLate) return new PullFailure('timeout', { cause })
  for (let inner = cause; inner instanceof Error; inner = inner.cause) if (inner instanceof PullFailure) return inner
  return new PullFailure('unreachable', { cause })
}

/** Throws a PullFailure for a URL that no provider has; names are resolved and looked at again when dialling. */
export function assertAllowed(url: URL, allowLoopback: boolean): void {
  const name = hostName(url.hostname)
  const isInner = ipaddr.isValid(name) || INNER_NAME.test(name)
  if (url.username || url.password || !['https:', 'http:'].includes(url.protocol))
    throw new PullFailure('misconfigured')
  if (allowLoopback && isLoopback(name)) return
  if (isInner) throw new PullFailure('blocked_address')
  if (url.protocol !== 'https:' || (url.port || HTTPS_PORT) !== HTTPS_PORT) throw new PullFailure('misconfigured')
}

function hostName(host: string): string {
  return host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || (ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback')
}

/** Whether an address may be dialled. */
export function isDialable(address: string, allowLoopback: boolean): boolean {
  if (!ipaddr.isValid(address)) return false
  const plain = ipaddr.process(address)
  if (plain.range() === 'loopback') return allowLoopback
  return plain.range() === 'unicast' && !DENIED.has(plain.toString())
}

/**
 * Resolves a name once, refuses it when any of its addresses is inside, and dials the address it looked at, so that a
 * name that resolves differently a moment later gains nothing.
 */
function guardedConnector(allowLoopback: boolean): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_MS })
  return (options, callback) => {
    const name = hostName(options.hostname)
    resolved(name).then(
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

async function resolved(name: string): Promise<string[]> {
  if (ipaddr.isValid(name)) return [name]
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

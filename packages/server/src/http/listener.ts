import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { Log } from '../base/log.ts'

export interface ListenerOptions extends ServerOptions {
  /** Maximum number of open connections. Further ones are closed to save file descriptors for the engines. */
  connectionsMax: number
}

/** Minimum milliseconds between two log lines about rejected connections. */
const WARNING_INTERVAL_MS = 60_000

/**
 * Opens a server with a connection limit. Headers and Expect values are not filtered, so that later code can check
 * them. The server keeps running if file descriptors run out.
 */
export function openListener(
  { connectionsMax, ...options }: ListenerOptions,
  listen: RequestListener,
  log: Log,
): Server {
  const server = createServer(options, listen)
  server.maxConnections = connectionsMax
  // If this were positive, Node would silently drop further headers.
  server.maxHeadersCount = 0
  server.on('checkExpectation', listen)
  const warn = throttle((message: string, fields: Record<string, unknown>) => log.warn(message, fields))
  server.on('drop', () => warn('connections rejected: the maximum number is open', { connectionsMax }))
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'accept') warn('accepting a connection failed', { error })
  })
  return server
}

/** Returns a function that calls `call` at most once per interval. */
function throttle<A extends unknown[]>(call: (...args: A) => void): (...args: A) => void {
  let calledMs = Number.NEGATIVE_INFINITY
  return (...args) => {
    const nowMs = performance.now()
    if (nowMs - calledMs < WARNING_INTERVAL_MS) return
    calledMs = nowMs
    call(...args)
  }
}

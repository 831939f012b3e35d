import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { Log } from '../base/log.ts'

/** Options of the listening server. */
export interface ListenerOptions extends ServerOptions {
  /** Maximum open connections. Further ones are closed at once, so that the storage engines keep file descriptors. */
  connectionsMax: number
}

/** Minimum milliseconds between log entries about rejected connections. */
const TOLD_MS = 60_000

/**
 * Opens a server with a connection limit. It passes all headers and Expect values to the request checks. It survives a
 * lack of file descriptors.
 */
export function openListener(
  { connectionsMax, ...options }: ListenerOptions,
  listen: RequestListener,
  log: Log,
): Server {
  const server = createServer(options, listen)
  server.maxConnections = connectionsMax
  // With a positive limit, Node silently drops the headers beyond it.
  server.maxHeadersCount = 0
  server.on('checkExpectation', listen)
  const tell = sparingly((message: string, fields: Record<string, unknown>) => log.warn(message, fields))
  server.on('drop', () => tell('connections rejected: the maximum number is open', { connectionsMax }))
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'accept') tell('accepting a connection failed', { error })
  })
  return server
}

/** Returns a function that calls `tell` at most once per interval. */
function sparingly<A extends unknown[]>(tell: (...told: A) => void): (...told: A) => void {
  let toldMs = Number.NEGATIVE_INFINITY
  return (...told) => {
    const nowMs = performance.now()
    if (nowMs - toldMs < TOLD_MS) return
    toldMs = nowMs
    tell(...told)
  }
}

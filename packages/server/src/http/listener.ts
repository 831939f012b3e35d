import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { Log } from '../base/log.ts'

/** What the port is opened with. */
export interface ListenerOptions extends ServerOptions {
  /** Connections above these are closed as they come, so that the engines keep their descriptors. */
  connectionsMax: number
}

/** How often the log says that connections are turned away. */
const TOLD_MS = 60_000

/**
 * A server that holds no more connections than it is given, hands on every header and every expectation for the checks
 * to judge, and whose port outlives a lack of descriptors.
 */
export function openListener(
  { connectionsMax, ...options }: ListenerOptions,
  listen: RequestListener,
  log: Log,
): Server {
  const server = createServer(options, listen)
  server.maxConnections = connectionsMax
  // With a count Node drops the headers beyond it without a word.
  server.maxHeadersCount = 0
  server.on('checkExpectation', listen)
  const tell = sparingly((message: string, fields: Record<string, unknown>) => log.warn(message, fields))
  server.on('drop', () => tell('connections turned away: as many are open as may be', { connectionsMax }))
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'accept') tell('a connection was not accepted', { error })
  })
  return server
}

/** Calls at most once in a while. */
function sparingly<A extends unknown[]>(tell: (...told: A) => void): (...told: A) => void {
  let toldMs = Number.NEGATIVE_INFINITY
  return (...told) => {
    const nowMs = performance.now()
    if (nowMs - toldMs < TOLD_MS) return
    toldMs = nowMs
    tell(...told)
  }
}

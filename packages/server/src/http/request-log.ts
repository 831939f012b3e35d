import type { FastifyInstance } from 'fastify'
import type { Log, LogFields } from '../base/log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Account of the request's credential, once it is known. */
    accountId: string | undefined
    /** Name of the fault, if the request failed. */
    fault: string | undefined
  }
}

/** Paths that machines request very often. They are logged at `debug`, unless they fail. */
export const FREQUENT: readonly string[] = ['/healthz', '/readyz', '/metrics']
const REFUSED = 400
const SERVER_FAULT = 500

/**
 * Logs one line per request when its response has ended, at `info`, or at `warn` for a 5xx status. Logs the route's
 * pattern and never the path, query or body.
 */
export function logRequests(server: FastifyInstance, log: Log): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId, accountId, fault } = request
    const { url: route } = request.routeOptions
    const { statusCode: status } = reply
    const durationMs = Math.round(reply.elapsedTime)
    const fields: LogFields = { method, route, status, durationMs, accountId, requestId, fault }
    if (status >= SERVER_FAULT) log.warn('request', fields)
    else if (status < REFUSED && FREQUENT.includes(route ?? '')) log.debug('request', fields)
    else log.info('request', fields)
    done()
  })
}

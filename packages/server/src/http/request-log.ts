import type { FastifyInstance } from 'fastify'
import type { Log, LogFields } from '../base/log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose credential the request brought, once it is known. */
    accountId: string | undefined
    /** By what name the request was refused, or failed. */
    fault: string | undefined
  }
}

/** Paths that machines request constantly: logged at `debug` unless refused. */
export const FREQUENT: readonly string[] = ['/healthz', '/readyz', '/metrics']
const REFUSED = 400
const SERVER_FAULT = 500

/**
 * Writes one line for each request when its reply has ended: at `info`, and at `warn` where the service could not do
 * what it is for (5xx). It has the route's pattern and never the path, the query or anything of a body.
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

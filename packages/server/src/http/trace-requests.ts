import type { FastifyInstance } from 'fastify'
import { beginRequest, type RequestSpan, within } from '../base/observe.ts'
import { FREQUENT } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | undefined
  }
}

/** Traces each request, except frequent requests by machines. It must be registered before all other hooks. */
export function traceRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { url: route = '' } = request.routeOptions
    if (FREQUENT.includes(route)) return done()
    const { method, protocol: scheme, id: requestId, headers } = request
    request.span = beginRequest({ method, scheme, requestId, headers })
    within(request.span, done)
  })
  server.addHook('onResponse', (request, reply, done) => {
    request.span?.end({ route: request.routeOptions.url, status: reply.statusCode, fault: request.fault })
    done()
  })
}

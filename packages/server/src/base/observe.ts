import {
  type Attributes,
  type Context,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { Fault } from './fault.ts'

/**
 * Kinds of work that are measured. In traces, background work starts a trace of its own. Other work belongs to the
 * trace of its caller, if there is one.
 */
const WORKS = {
  'batch.apply': { beginsTrace: true },
  'connector.request': { kind: SpanKind.CLIENT },
  'database.look': { kind: SpanKind.CLIENT },
  'database.transact': { kind: SpanKind.CLIENT },
  'database.write': { kind: SpanKind.CLIENT },
  'graph.build': {},
  'graph.keep': { beginsTrace: true },
  'import.resume': { beginsTrace: true },
  'evaluation.run': { beginsTrace: true },
  'leases.renew': {},
  'node.beat': {},
  'reader.compare': {},
  'reader.question': {},
  'reader.supports': {},
  'reader.texts': {},
  'request.forward': { kind: SpanKind.CLIENT },
  'source.pull': { beginsTrace: true },
  'store.commit': {},
  'store.piece': {},
  'store.purge': {},
  'store.read': {},
  'store.sweep': {},
  'store.upkeep': {},
  'upkeep.tidy': { beginsTrace: true },
  'webhook.send': { beginsTrace: true },
} as const satisfies Record<string, { beginsTrace?: true; kind?: SpanKind }>

/** A measured kind of work. */
export type Work = keyof typeof WORKS

/** Outcome of work. `refused` means that the caller made an error. */
export type WorkOutcome = 'done' | 'refused' | 'failed'

/** Runs work, measures it, and returns its result. */
export type Observe = <T>(work: Work, run: () => Promise<T>) => Promise<T>

/** Runs work without measuring it. */
export const unobserved: Observe = (_, run) => run()

const SERVER_FAULT = 500

/** Returns the outcome for a thrown error. */
export function outcomeOf(thrown: unknown): WorkOutcome {
  return thrown instanceof Fault && thrown.status < SERVER_FAULT ? 'refused' : 'failed'
}

const tracer = trace.getTracer('cairn')
const DATABASE: Attributes = { 'db.system.name': 'postgresql' }

/** Runs work in a trace span. The span has the name of the work and no data. */
export function inSpan<T>(work: Work, run: () => Promise<T>): Promise<T> {
  const { beginsTrace = false, kind = SpanKind.INTERNAL }: { beginsTrace?: boolean; kind?: SpanKind } = WORKS[work]
  if (!beginsTrace && trace.getActiveSpan() === undefined) return run()
  const attributes = work.startsWith('database.') ? DATABASE : {}
  return tracer.startActiveSpan(work, { root: beginsTrace, kind, attributes }, async (span) => {
    try {
      return await run()
    } catch (thrown) {
      span.setAttribute('error.type', nameOf(thrown))
      if (outcomeOf(thrown) === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
      throw thrown
    } finally {
      span.end()
    }
  })
}

/** Returns the name of an error. The message is omitted, because it may quote input. */
function nameOf(thrown: unknown): string {
  if (thrown instanceof Fault) return thrown.reason ?? thrown.code
  return thrown instanceof Error ? thrown.name : typeof thrown
}

/** Returns the headers that propagate the current trace. Empty without a trace. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return headers
}

/** The span of a caller's request. */
export interface RequestSpan {
  /** Context in which new spans belong to the request. */
  readonly within: Context
  /** Ends the span. `route` is the route's pattern and never the path. */
  end(response: { route: string | undefined; status: number; fault: string | undefined }): void
}

/** Starts the span of a request. It continues the caller's trace if the headers have one (W3C traceparent). */
export function beginRequest(request: {
  method: string
  scheme: string
  requestId: string
  headers: object
}): RequestSpan {
  const { method, scheme, requestId, headers } = request
  const attributes = { 'http.request.method': method, 'url.scheme': scheme, 'cairn.request_id': requestId }
  const caller = propagation.extract(context.active(), headers)
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, caller)
  return {
    within: trace.setSpan(caller, span),
    end: ({ route, status, fault }) => {
      span.setAttribute('http.response.status_code', status)
      if (route !== undefined) span.setAttribute('http.route', route).updateName(`${method} ${route}`)
      if (fault !== undefined) span.setAttribute('error.type', fault)
      if (status >= SERVER_FAULT) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** Runs a function in the span of a request. */
export function within(span: RequestSpan, run: () => void): void {
  context.with(span.within, run)
}

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
 * The pieces of work that are measured. In traces, one that begins by itself has a trace of its own; any other is shown
 * in the trace of what asked for it, and in none when nothing did.
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

/** A piece of work that is measured. */
export type Work = keyof typeof WORKS

/** What became of it: refused is what the service answers as its caller's fault. */
export type WorkOutcome = 'done' | 'refused' | 'failed'

/** Runs a piece of work, gives what it gives, and measures it. */
export type Observe = <T>(work: Work, run: () => Promise<T>) => Promise<T>

/** Measures nothing. */
export const unobserved: Observe = (_, run) => run()

const SERVER_FAULT = 500

/** What it means that a piece of work threw this. */
export function outcomeOf(thrown: unknown): WorkOutcome {
  return thrown instanceof Fault && thrown.status < SERVER_FAULT ? 'refused' : 'failed'
}

const tracer = trace.getTracer('cairn')
const DATABASE: Attributes = { 'db.system.name': 'postgresql' }

/** Runs a piece of work in a span, which has its name and no word of what it was given. */
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

/** By what name something failed; its message may quote what it was given. */
function nameOf(thrown: unknown): string {
  if (thrown instanceof Fault) return thrown.reason ?? thrown.code
  return thrown instanceof Error ? thrown.name : typeof thrown
}

/** The headers that continue the present trace at who is asked; none where no trace is kept. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return headers
}

/** A request of a caller, in a span of its own. */
export interface RequestSpan {
  /** In it, what is done for the request is shown as its part. */
  readonly within: Context
  /** Ends it. The route is its pattern, never the path. */
  end(answered: { route: string | undefined; status: number; fault: string | undefined }): void
}

/** Begins the span of a request, as part of the caller's trace where its headers name one (W3C traceparent). */
export function beginRequest(asked: {
  method: string
  scheme: string
  requestId: string
  headers: object
}): RequestSpan {
  const { method, scheme, requestId, headers } = asked
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

/** Runs what follows in the span of a request. */
export function within(span: RequestSpan, run: () => void): void {
  context.with(span.within, run)
}

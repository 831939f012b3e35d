import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Registry } from 'prom-client'
import { systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { TelemetryConfig } from '../config/telemetry.ts'
import { metricProducerOf } from './metric-producer.ts'

/** Sources of the telemetry, and the identity of this process. */
export interface Telemetry {
  registry: Registry
  log: Log
  version: string
  /** Id of this process. It is the same as in the database's list of nodes. */
  instanceId: string
}

/** Maximum milliseconds for the final export when the process ends. */
const FLUSH_MS_MAX = 2_000
/** Minimum milliseconds between two log lines about an unavailable collector. */
const LOG_INTERVAL_MS = 60_000

/**
 * Starts the export of traces and metrics to an OTLP collector over HTTP. The OpenTelemetry SDK reads the collector's
 * address, headers and limits from its standard environment variables. Returns a function that ends the export.
 */
export function openTelemetry(config: TelemetryConfig, { registry, log, ...who }: Telemetry): () => Promise<void> {
  logExportFailures(log)
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'cairn',
        'service.version': who.version,
        'service.instance.id': who.instanceId,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }))
  const ends: (() => Promise<void>)[] = []
  if (config.hasTraces) {
    const provider = new BasicTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    })
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    propagation.setGlobalPropagator(new W3CTraceContextPropagator())
    trace.setGlobalTracerProvider(provider)
    ends.push(() => provider.shutdown())
  }
  if (config.hasMetrics) {
    const reader = new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter(),
      metricProducers: [metricProducerOf(registry, systemClock)],
      exportIntervalMillis: config.metricsEveryMs,
      exportTimeoutMillis: config.metricsEveryMs,
    })
    const provider = new MeterProvider({ resource, readers: [reader] })
    ends.push(() => provider.shutdown())
  }
  return async () => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS_MAX).unref())
    await Promise.race([Promise.allSettled(ends.map((end) => end())), late])
    for (const api of [trace, context, propagation, diag]) api.disable()
  }
}

/** Logs only that an export failed, because the SDK's messages may contain the collector's address and key. */
function logExportFailures(log: Log): void {
  let loggedMs = Number.NEGATIVE_INFINITY
  const logFailure = () => {
    if (performance.now() - loggedMs < LOG_INTERVAL_MS) return
    loggedMs = performance.now()
    log.warn('traces or metrics could not be exported to the collector')
  }
  const ignore = () => undefined
  diag.setLogger({ error: logFailure, warn: ignore, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.ERROR)
}

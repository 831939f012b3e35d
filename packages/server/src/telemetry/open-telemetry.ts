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
import { figuresOf } from './figures.ts'

/** What is told to a collector, and by whom. */
export interface Telemetry {
  registry: Registry
  log: Log
  version: string
  /** Tells this process from others, as in the database's list of nodes. */
  instanceId: string
}

/** How long what is still to be told may take when the process ends. */
const FLUSH_MS_MAX = 2_000
/** A collector that is away is said to be once in so long. */
const SAID_EVERY_MS = 60_000

/**
 * Begins to tell an OTLP collector, over HTTP, of traces and figures. Where it is, what it wants and how much is kept
 * the OpenTelemetry SDK reads from the environment, by its standard names. Returns what ends that.
 */
export function openTelemetry(config: TelemetryConfig, { registry, log, ...who }: Telemetry): () => Promise<void> {
  tellFailures(log)
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
      metricProducers: [figuresOf(registry, systemClock)],
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

/** What the SDK says of a failure may name the collector's address and its key: it is said that there was one. */
function tellFailures(log: Log): void {
  let saidMs = Number.NEGATIVE_INFINITY
  const say = () => {
    if (performance.now() - saidMs < SAID_EVERY_MS) return
    saidMs = performance.now()
    log.warn('the collector of traces and figures does not take them')
  }
  const quiet = () => undefined
  diag.setLogger({ error: say, warn: quiet, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.ERROR)
}

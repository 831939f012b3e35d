import { systemOperations } from '@cairnstore/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { MS_PER_SECOND } from '../base/clock.ts'
import { sameDigest, sha256 } from '../base/digest.ts'
import { Fault } from '../base/fault.ts'
import { inSpan, type Observe, outcomeOf, type Work, type WorkOutcome } from '../base/observe.ts'
import { isLoopback } from '../base/safe-fetch.ts'
import { type Authenticate, bearerOf } from './authenticate.ts'

/** Metrics of the service. They never contain tenants or addresses. */
export interface Metrics {
  readonly registry: Registry
  /** Records one completed request. */
  observeRequest(operation: string, status: number, seconds: number): void
  /** Registers a counter with these labels. `read` is called each time the metrics are read. */
  showCounts(shown: MetricHead, labels: readonly string[], read: () => LabelledCount[]): void
  /** Registers a gauge. `read` is called each time the metrics are read. */
  showLevel(shown: MetricHead, read: () => Promise<number>): void
  /** Registers a gauge with one label. `read` is called each time the metrics are read. */
  showLevels(shown: MetricHead, label: string, read: () => Iterable<readonly [labelled: string, level: number]>): void
  /** Measures an operation and records a span if tracing is on. */
  readonly observe: Observe
}

export interface MetricHead {
  name: string
  help: string
}

type LabelledCount = { count: number; provider?: string; outcome?: string }

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** Opens a new registry. With `hasTraces`, operations are also traced; the SDK must then be open. */
export function openMetrics({ hasTraces = false } = {}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'cairn_http_request_duration_seconds',
    help: 'Duration of requests, from the end of the headers to the end of the response.',
    labelNames: ['operation', 'status'] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  })
  const bound = new Map<string, { observe(seconds: number): void }>()
  const showLevels: Metrics['showLevels'] = (shown, label, read) => {
    new Gauge({
      ...shown,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset()
        for (const [labelled, level] of read()) this.set({ [label]: labelled }, level)
      },
    })
  }
  return {
    registry,
    showLevels,
    observe: openObserve({ registry, showLevels }, hasTraces),
    showCounts(shown, labels, read) {
      new Counter({
        ...shown,
        labelNames: labels,
        registers: [registry],
        collect() {
          this.reset()
          for (const { count, ...labelled } of read()) this.inc(labelled, count)
        },
      })
    },
    showLevel(shown, read) {
      new Gauge({
        ...shown,
        registers: [registry],
        async collect() {
          this.set(await read())
        },
      })
    },
    observeRequest(operation, status, seconds) {
      const key = `${operation} ${status}`
      let series = bound.get(key)
      if (series === undefined) {
        series = durations.labels({ operation, status: String(status) })
        bound.set(key, series)
      }
      series.observe(seconds)
    },
  }
}

/** Returns a function that measures operations: their duration, their outcome and the number that are running. */
function openObserve({ registry, showLevels }: Pick<Metrics, 'registry' | 'showLevels'>, hasTraces: boolean): Observe {
  const durations = new Histogram({
    name: 'cairn_work_duration_seconds',
    help:
      'Duration of internal operations: SQL statements, store reads and commits, batches, indexes, compaction, sent ' +
      'messages.',
    labelNames: ['work', 'outcome'] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  })
  const running = new Map<Work, number>()
  showLevels({ name: 'cairn_work_running', help: 'Number of running internal operations.' }, 'work', () => running)
  const bound = new Map<string, { observe(seconds: number): void }>()
  const note = (work: Work, outcome: WorkOutcome, fromMs: number) => {
    const key = `${work} ${outcome}`
    const series = bound.get(key) ?? durations.labels({ work, outcome })
    bound.set(key, series)
    series.observe((performance.now() - fromMs) / MS_PER_SECOND)
    running.set(work, (running.get(work) ?? 0) - 1)
  }
  return async (work, run) => {
    const fromMs = performance.now()
    running.set(work, (running.get(work) ?? 0) + 1)
    try {
      const result = await (hasTraces ? inSpan(work, run) : run())
      note(work, 'done', fromMs)
      return result
    } catch (thrown) {
      note(work, outcomeOf(thrown), fromMs)
      throw thrown
    }
  }
}

/** Rules for reading the metrics without the operator's key. */
export interface ScraperRules {
  /** SHA-256 of the key that is valid only for the metrics; null if there is none. */
  keyHash: Uint8Array | null
  /** True if everyone may read them. */
  isOpen: boolean
}

interface ScrapeOptions {
  authenticate: Authenticate
  /** True if a proxy is configured. The address of the connection is then the proxy's. */
  hasProxy: boolean
}

const UNAUTHORIZED =
  'Send CAIRN_METRICS_KEY or the admin key as `Authorization: Bearer`. Without a key, only requests from this ' +
  'machine are allowed.'
/** Matches headers with which proxies identify the client. */
const FORWARDING = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/** Allows only the operator, holders of the metrics key and clients on this machine to read the metrics. */
export function admitScrapers(server: FastifyInstance, rules: ScraperRules, scraped: ScrapeOptions): void {
  const admit = async (request: FastifyRequest) => {
    if (!(await mayScrape(request, rules, scraped))) throw new Fault('unauthorized', { detail: UNAUTHORIZED })
  }
  server.addHook('onRequest', (request, _, done) => {
    const isMetrics = request.routeOptions.url === systemOperations.getMetrics.path
    if (isMetrics && !rules.isOpen) admit(request).then(() => done(), done)
    else done()
  })
}

async function mayScrape(request: FastifyRequest, { keyHash }: ScraperRules, scraped: ScrapeOptions): Promise<boolean> {
  const { headers, raw, ip, socket } = request
  if (headers.authorization === undefined) {
    const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name))
    return !scraped.hasProxy && !isForwarded && isLoopback(socket.remoteAddress ?? '')
  }
  const token = bearerOf(raw)
  if (token === undefined) return false
  if (keyHash !== null && sameDigest(sha256(token), keyHash)) return true
  return (await scraped.authenticate(token, ip))?.credential.kind === 'admin_key'
}

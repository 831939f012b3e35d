import { systemOperations } from '@cairnstore/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { sameDigest, sha256 } from '../base/digest.ts'
import { Fault } from '../base/fault.ts'
import { type Backlog, openBacklog } from '../sources/polling/backlog.ts'
import { type Authenticate, bearerOf, isLoopback } from './authenticate.ts'
import type { App } from './context.ts'
import type { Forwarding } from './forwarding.ts'

/** What the service counts about itself. Nothing in it names a tenant or an address. */
export interface Metrics {
  readonly registry: Registry
  /** Notes one answered request. */
  observeRequest(operation: string, status: number, seconds: number): void
  /** Shows what `read` gives, whenever it is asked for, as a counter with these labels. */
  showCounts(shown: MetricHead, labels: readonly string[], read: () => LabelledCount[]): void
  /** Shows what `read` gives, whenever it is asked for, as a gauge. */
  showLevel(shown: MetricHead, read: () => Promise<number>): void
}

/** A metric's name and what it says. */
export interface MetricHead {
  name: string
  help: string
}

/** A count, and the labels that it stands under. */
type LabelledCount = { count: number; provider?: string; outcome: string }

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** A fresh set of counters. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'cairn_http_request_duration_seconds',
    help: 'Time from the end of a request’s headers to the end of its reply.',
    labelNames: ['operation', 'status'] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  })
  const bound = new Map<string, { observe(seconds: number): void }>()
  return {
    registry,
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

/** Shows in the metrics how what comes in by itself fares: deliveries, pulls, records, and what waits. */
export function showFlows(metrics: Metrics, app: App, forwarding: Pick<Forwarding, 'read'> | undefined): void {
  const { deliveries, deliverer, poller, applier, cluster, knowledge, cache, sql, clock } = app
  metrics.showCounts(
    { name: 'cairn_forwarded_total', help: 'Requests about sandboxes placed elsewhere: answered there, here, or not.' },
    ['outcome'],
    () => forwarding?.read() ?? [],
  )
  metrics.showLevel(
    { name: 'cairn_graphs', help: 'Graphs of sandboxes in memory.' },
    async () => knowledge.held().graphs,
  )
  metrics.showLevel(
    { name: 'cairn_graph_bytes', help: 'What these take, in bytes.' },
    async () => knowledge.held().bytes,
  )
  metrics.showCounts(
    { name: 'cairn_cache_reads_total', help: 'Pieces of graphs looked for on the disk: found, missing or damaged.' },
    ['outcome'],
    () => cache?.counts() ?? [],
  )
  metrics.showLevel({ name: 'cairn_nodes', help: 'Processes on this database that are heard of.' }, async () =>
    cluster.count(),
  )
  metrics.showCounts(
    { name: 'cairn_deliveries_total', help: 'Deliveries of providers by what became of them.' },
    ['provider', 'outcome'],
    deliveries.tally.read,
  )
  metrics.showCounts(
    { name: 'cairn_pulls_total', help: 'Pulls of sources by what became of them.' },
    ['outcome'],
    poller.read,
  )
  metrics.showCounts(
    { name: 'cairn_webhook_messages_total', help: 'Messages sent to endpoints by what became of them.' },
    ['outcome'],
    deliverer.read,
  )
  metrics.showCounts(
    { name: 'cairn_records_total', help: 'Records applied, by what became of them.' },
    ['outcome'],
    applier.read,
  )
  metrics.showCounts(
    { name: 'cairn_failed_comparisons_total', help: 'What could not be compared: pairs of things, types, sandboxes.' },
    ['outcome'],
    applier.failedComparisons,
  )
  const backlog = openBacklog({ sql, clock })
  const show = (name: string, help: string, read: (waiting: Backlog) => number) =>
    metrics.showLevel({ name, help }, async () => read(await backlog().catch(() => UNKNOWN)))
  show('cairn_backlog_records', 'Records that are accepted and not applied yet.', (one) => one.records)
  show('cairn_backlog_records_seconds', 'Age of the eldest such record.', (one) => one.recordsSeconds)
  show('cairn_backlog_sources', 'Sources that are due and that nobody reads yet.', (one) => one.sources)
  show('cairn_backlog_sources_seconds', 'For how long the first of them has been due.', (one) => one.sourcesSeconds)
}

const { NaN: NONE } = Number

/** What waits cannot be told while the database is away; everything else is shown all the same. */
const UNKNOWN: Backlog = { records: NONE, recordsSeconds: NONE, sources: NONE, sourcesSeconds: NONE }

/** Who may read the metrics beside the operator. */
export interface ScraperRules {
  /** The sha256 of the key that opens them and nothing else; null: there is none. */
  keyHash: Uint8Array | null
  /** Whether everybody may. */
  isOpen: boolean
}

/** What the rules for scrapers go by, beside themselves. */
interface Scraped {
  authenticate: Authenticate
  /** Whether a proxy is configured, so that a connection does not say who asks. */
  hasProxy: boolean
}

const UNAUTHORIZED =
  'Send CAIRN_METRICS_KEY or the admin key as `Authorization: Bearer`. Without one only this machine is answered.'
/** The headers by which proxies say for whom they ask. */
const FORWARDING = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

/** Has the metrics answer the operator, who has their key, and who asks from this machine itself. */
export function admitScrapers(server: FastifyInstance, rules: ScraperRules, scraped: Scraped): void {
  const admit = async (request: FastifyRequest) => {
    if (!(await mayScrape(request, rules, scraped))) throw new Fault('unauthorized', { detail: UNAUTHORIZED })
  }
  server.addHook('onRequest', (request, _, done) => {
    const isAsked = request.routeOptions.url === systemOperations.getMetrics.path
    if (isAsked && !rules.isOpen) admit(request).then(() => done(), done)
    else done()
  })
}

async function mayScrape(request: FastifyRequest, { keyHash }: ScraperRules, scraped: Scraped): Promise<boolean> {
  const { headers, raw, ip, socket } = request
  if (headers.authorization === undefined) {
    const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name))
    return !scraped.hasProxy && !isForwarded && isLoopback(socket.remoteAddress)
  }
  const token = bearerOf(raw)
  if (token === undefined) return false
  if (keyHash !== null && sameDigest(sha256(token), keyHash)) return true
  return (await scraped.authenticate(token, ip))?.credential.kind === 'admin_key'
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What the service counts about itself. Nothing in it names a tenant or an address. */
export interface Metrics {
  readonly registry: Registry
  /** Notes one answered request. */
  observeRequest(operation: string, status: number, seconds: number): void
  /** Shows what `read` gives, whenever it is asked for, as a counter with these labels. */
  showCounts(shown: Shown, labels: readonly string[], read: () => Counted[]): void
  /** Shows what `read` gives, whenever it is asked for, as a gauge. */
  showLevel(shown: Shown, read: () => Promise<number>): void
}

/** A metric's name and what it says. */
export interface Shown {
  name: string
  help: string
}

/** A count, and the labels that it stands under. */
type Counted = { count: number; provider?: string; outcome: string }

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

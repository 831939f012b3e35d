import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** What the service counts about itself. Nothing in it names a tenant or an address. */
export interface Metrics {
  readonly registry: Registry
  /** Notes one answered request. */
  observeRequest(operation: string, status: number, seconds: number): void
  /** Shows what `read` gives, whenever it is asked for, as one counter with two labels. */
  showDeliveries(read: () => { provider: string; outcome: string; count: number }[]): void
  /** The same of pulls, with one label. */
  showPulls(read: () => { outcome: string; count: number }[]): void
}

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
    showDeliveries(read) {
      new Counter({
        name: 'cairn_deliveries_total',
        help: 'Deliveries of providers by what became of them.',
        labelNames: ['provider', 'outcome'] as const,
        registers: [registry],
        collect() {
          this.reset()
          for (const { provider, outcome, count } of read()) this.inc({ provider, outcome }, count)
        },
      })
    },
    showPulls(read) {
      new Counter({
        name: 'cairn_pulls_total',
        help: 'Pulls of sources by what became of them.',
        labelNames: ['outcome'] as const,
        registers: [registry],
        collect() {
          this.reset()
          for (const { outcome, count } of read()) this.inc({ outcome }, count)
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

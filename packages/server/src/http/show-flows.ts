import { type Backlog, openBacklog } from '../sources/polling/backlog.ts'
import type { App } from './context.ts'
import type { Metrics } from './metrics.ts'

/** Shows in the metrics how what comes in by itself fares: deliveries, pulls, records, and what waits. */
export function showFlows(metrics: Metrics, { deliveries, deliverer, poller, applier, sql, clock }: App): void {
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

import { MS_PER_SECOND, systemClock } from '../base/clock.ts'
import { memoryMax } from '../config/memory.ts'
import { type Backlog, openBacklog } from '../sources/polling/due.ts'
import { countLeases } from '../store/lease.ts'
import type { HttpApp } from './context.ts'
import type { Forwarding } from './forwarding.ts'
import type { Metrics } from './metrics.ts'

interface MetricSources {
  version: string
  forwarding?: Pick<Forwarding, 'read'>
}

/** Registers the metrics of the service: resources, background work and backlogs. */
export function registerMetrics(metrics: Metrics, app: HttpApp, { version, forwarding }: MetricSources): void {
  metrics.showLevels(
    { name: 'cairn_build_info', help: 'Version of the service as a label; the value is always 1.' },
    'version',
    () => [[version, 1]],
  )
  showState(metrics, app)
  showMachine(metrics, app)
  showFlows(metrics, app, forwarding)
}

/** Registers metrics of the database, graphs and leases of this process. */
function showState(metrics: Metrics, { knowledge, cache, applier, cluster, sql, ownerId }: HttpApp): void {
  const level = (name: string, help: string, read: () => number) =>
    metrics.showLevel({ name, help }, async () => read())
  const total = (name: string, help: string, read: () => number) =>
    metrics.showCounts({ name, help }, [], () => [{ count: read() }])
  level('cairn_graphs', 'Number of sandbox indexes in memory.', () => knowledge.graphs.stats().graphs)
  level('cairn_graph_bytes', 'Size of the indexes in memory, in bytes.', () => knowledge.graphs.stats().bytes)
  level(
    'cairn_graph_max_bytes',
    'Maximum size of the indexes in memory, in bytes.',
    () => knowledge.graphs.stats().bytesMax,
  )
  level('cairn_graphs_elsewhere', 'Number of indexes in memory whose home node is another process.', () => {
    let count = 0
    for (const id of knowledge.graphs.ids) if (cluster.homeNodeOf(id)) count += 1
    return count
  })
  total('cairn_graphs_evicted_total', 'Number of indexes evicted for others.', () => knowledge.graphs.stats().evicted)
  total(
    'cairn_graphs_refused_total',
    'Number of indexes that exceeded the memory limit.',
    () => knowledge.graphs.stats().refused,
  )
  metrics.showCounts(
    { name: 'cairn_cache_reads_total', help: 'Index snapshot segments looked up on disk: found, missing or damaged.' },
    ['outcome'],
    () => cache?.counts() ?? [],
  )
  level('cairn_nodes', 'Number of live processes on this database.', cluster.count)
  level('cairn_workers', 'Number of live processes that accept work.', cluster.workers)
  metrics.showLevel({ name: 'cairn_leases', help: 'Number of sandbox leases held by this process.' }, () =>
    sql.transact({ worker: true }, (tx) => countLeases(tx, ownerId)).catch(() => NONE),
  )
  total('cairn_leased_elsewhere_total', 'Number of times that another process held the lease.', () => {
    return applier.delayed().leasedElsewhere
  })
  level('cairn_unserved_sandboxes', 'Number of sandboxes whose store failed at the last attempt.', () => {
    return applier.delayed().unserved
  })
  metrics.showLevels(
    { name: 'cairn_store_breakers', help: 'Number of sandboxes whose circuit breaker for the object store is open.' },
    'bucket',
    () => knowledge.stores.breakers().map(({ bucket, open }) => [bucket, open]),
  )
  metrics.showCounts(
    {
      name: 'cairn_store_breakers_opened_total',
      help: 'Number of times that a circuit breaker for an object store opened.',
    },
    ['bucket'],
    () => knowledge.stores.breakers().map(({ bucket, opened }) => ({ bucket, count: opened })),
  )
  metrics.showLevels(
    { name: 'cairn_database_connections', help: 'Number of connections to the database.' },
    'state',
    () => {
      const { open, idle } = sql.connections()
      return [
        ['used', open - idle],
        ['idle', idle],
      ]
    },
  )
  level('cairn_database_max_connections', 'Maximum number of connections to the database.', () => sql.connections().max)
  level('cairn_database_waiting', 'Number of transactions waiting for a connection.', () => sql.connections().waiting)
}

/** Registers metrics of the machine, and the difference of its clock from the database's clock. */
function showMachine(metrics: Metrics, { diskSpace, clock }: HttpApp): void {
  const level = (name: string, help: string, read: () => number) =>
    metrics.showLevel({ name, help }, async () => read())
  level('cairn_memory_max_bytes', 'Memory limit of this process.', memoryMax)
  metrics.showLevel(
    { name: 'cairn_disk_free_bytes', help: 'Free space on the disk of the data folder.' },
    diskSpace.free,
  )
  level(
    'cairn_disk_kept_back_bytes',
    'Minimum free disk space; below it, new data is rejected.',
    () => diskSpace.reservedBytes,
  )
  level('cairn_clock_skew_seconds', 'Clock difference: database time minus the time of this machine.', () => {
    return (clock.now().getTime() - systemClock.now().getTime()) / MS_PER_SECOND
  })
}

/** Registers metrics of background work: deliveries, pulls, records and backlogs. */
function showFlows(metrics: Metrics, app: HttpApp, forwarding: Pick<Forwarding, 'read'> | undefined): void {
  const { deliveries, deliverer, poller, applier, sql, clock } = app
  metrics.showCounts(
    {
      name: 'cairn_forwarded_total',
      help: 'Requests for sandboxes with another home node: forwarded, handled here, or failed.',
    },
    ['outcome'],
    () => forwarding?.read() ?? [],
  )
  metrics.showCounts(
    { name: 'cairn_deliveries_total', help: 'Deliveries from providers, by outcome.' },
    ['provider', 'outcome'],
    deliveries.tally.read,
  )
  metrics.showCounts({ name: 'cairn_pulls_total', help: 'Pulls of sources, by outcome.' }, ['outcome'], poller.read)
  metrics.showCounts(
    { name: 'cairn_webhook_messages_total', help: 'Messages sent to webhooks, by outcome.' },
    ['outcome'],
    deliverer.read,
  )
  metrics.showCounts(
    { name: 'cairn_records_total', help: 'Records applied, by outcome.' },
    ['outcome'],
    applier.appliedCounts,
  )
  metrics.showCounts(
    { name: 'cairn_failed_comparisons_total', help: 'Failed entity comparisons: pairs, types, sandboxes.' },
    ['outcome'],
    applier.failedComparisons,
  )
  const backlog = openBacklog({ sql, clock })
  const show = (name: string, help: string, read: (waiting: Backlog) => number) =>
    metrics.showLevel({ name, help }, async () => read(await backlog().catch(() => UNKNOWN)))
  show('cairn_backlog_records', 'Number of accepted records that are not applied yet.', (one) => one.records)
  show(
    'cairn_backlog_records_seconds',
    'Age of the oldest accepted record that is not applied yet.',
    (one) => one.recordsSeconds,
  )
  show(
    'cairn_given_up_records',
    'Records whose batch failed too often and is no longer retried; they are kept.',
    (one) => one.givenUp,
  )
  show('cairn_backlog_sources', 'Number of sources that are due and not yet being pulled.', (one) => one.sources)
  show(
    'cairn_backlog_sources_seconds',
    'Time for which the oldest due source has been due.',
    (one) => one.sourcesSeconds,
  )
}

const { NaN: NONE } = Number

/** Values that are reported while the database is not available. All other metrics are still reported. */
const UNKNOWN: Backlog = { records: NONE, recordsSeconds: NONE, givenUp: NONE, sources: NONE, sourcesSeconds: NONE }

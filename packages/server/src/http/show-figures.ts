import { MS_PER_SECOND, systemClock } from '../base/clock.ts'
import { memoryMax } from '../config/memory.ts'
import { type Backlog, openBacklog } from '../sources/polling/due.ts'
import { countLeases } from '../store/lease.ts'
import type { HttpApp } from './context.ts'
import type { Forwarding } from './forwarding.ts'
import type { Metrics } from './metrics.ts'

/** Options in addition to the application's services. */
interface Shown {
  version: string
  forwarding?: Pick<Forwarding, 'read'>
}

/** Registers the metrics of the service: resources, background work and backlogs. */
export function showFigures(metrics: Metrics, app: HttpApp, { version, forwarding }: Shown): void {
  metrics.showLevels({ name: 'cairn_build_info', help: 'The version of the program; always 1.' }, 'version', () => [
    [version, 1],
  ])
  showHeld(metrics, app)
  showMachine(metrics, app)
  showFlows(metrics, app, forwarding)
}

/** Registers metrics of the database, graphs and leases of this process. */
function showHeld(metrics: Metrics, { knowledge, cache, applier, cluster, sql, ownerId }: HttpApp): void {
  const level = (name: string, help: string, read: () => number) =>
    metrics.showLevel({ name, help }, async () => read())
  const total = (name: string, help: string, read: () => number) =>
    metrics.showCounts({ name, help }, [], () => [{ count: read() }])
  level('cairn_graphs', 'Graphs of sandboxes in memory.', () => knowledge.graphStats().graphs)
  level('cairn_graph_bytes', 'What these take, in bytes.', () => knowledge.graphStats().bytes)
  level('cairn_graph_max_bytes', 'What they may take, in bytes.', () => knowledge.graphStats().bytesMax)
  level('cairn_graphs_elsewhere', 'Graphs in memory of sandboxes that have their place at another node.', () => {
    let count = 0
    for (const id of knowledge.heldIds) if (cluster.homeNodeOf(id)) count += 1
    return count
  })
  total('cairn_graphs_evicted_total', 'Graphs that were dropped for others.', () => knowledge.graphStats().evicted)
  total('cairn_graphs_refused_total', 'Graphs that were found not to fit.', () => knowledge.graphStats().refused)
  metrics.showCounts(
    { name: 'cairn_cache_reads_total', help: 'Pieces of graphs looked for on the disk: found, missing or damaged.' },
    ['outcome'],
    () => cache?.counts() ?? [],
  )
  level('cairn_nodes', 'Processes on this database that are heard of.', cluster.count)
  level('cairn_workers', 'Those of them that take work.', cluster.workers)
  metrics.showLevel({ name: 'cairn_leases', help: 'Sandboxes whose lease this process has.' }, () =>
    sql.transact({ worker: true }, (tx) => countLeases(tx, ownerId)).catch(() => NONE),
  )
  total('cairn_leased_elsewhere_total', 'Turns for which another process had the lease.', () => {
    return applier.delayed().leasedElsewhere
  })
  level('cairn_unserved_sandboxes', 'Sandboxes whose store failed when they were worked on last.', () => {
    return applier.delayed().unserved
  })
  metrics.showLevels(
    { name: 'cairn_store_breakers', help: 'Sandboxes whose object store failed and is left alone at the moment.' },
    'bucket',
    () => knowledge.breakers.map(({ bucket, open }) => [bucket, open]),
  )
  metrics.showCounts(
    { name: 'cairn_store_breakers_opened_total', help: 'How often an object store failed and was left alone.' },
    ['bucket'],
    () => knowledge.breakers.map(({ bucket, opened }) => ({ bucket, count: opened })),
  )
  metrics.showLevels({ name: 'cairn_database_connections', help: 'Connections to the database.' }, 'state', () => {
    const { open, idle } = sql.connections()
    return [
      ['used', open - idle],
      ['idle', idle],
    ]
  })
  level('cairn_database_max_connections', 'How many there may be.', () => sql.connections().max)
  level('cairn_database_waiting', 'Transactions that wait for one.', () => sql.connections().waiting)
}

/** Registers metrics of the machine, and its clock difference from the database. */
function showMachine(metrics: Metrics, { room, clock }: HttpApp): void {
  const level = (name: string, help: string, read: () => number) =>
    metrics.showLevel({ name, help }, async () => read())
  level('cairn_memory_max_bytes', 'Memory that this process may have.', memoryMax)
  metrics.showLevel({ name: 'cairn_disk_free_bytes', help: 'What is free on the disk of the data folder.' }, room.free)
  level('cairn_disk_kept_back_bytes', 'With less than this free nothing is taken in.', () => room.reservedBytes)
  level('cairn_clock_skew_seconds', 'By how much the database’s time is ahead of this machine’s.', () => {
    return (clock.now().getTime() - systemClock.now().getTime()) / MS_PER_SECOND
  })
}

/** Registers metrics of background work: deliveries, pulls, records and backlogs. */
function showFlows(metrics: Metrics, app: HttpApp, forwarding: Pick<Forwarding, 'read'> | undefined): void {
  const { deliveries, deliverer, poller, applier, sql, clock } = app
  metrics.showCounts(
    { name: 'cairn_forwarded_total', help: 'Requests about sandboxes placed elsewhere: answered there, here, or not.' },
    ['outcome'],
    () => forwarding?.read() ?? [],
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
    applier.appliedCounts,
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
  show('cairn_given_up_records', 'Records whose batch failed too often to be tried again; kept.', (one) => one.givenUp)
  show('cairn_backlog_sources', 'Sources that are due and that nobody reads yet.', (one) => one.sources)
  show('cairn_backlog_sources_seconds', 'For how long the first of them has been due.', (one) => one.sourcesSeconds)
}

const { NaN: NONE } = Number

/** Values while the database is not available. All other metrics are still shown. */
const UNKNOWN: Backlog = { records: NONE, recordsSeconds: NONE, givenUp: NONE, sources: NONE, sourcesSeconds: NONE }

import { sql as text } from 'kysely'
import { systemClock } from '../base/clock.ts'
import { type Role, takesWork } from '../base/role.ts'
import { type Config, toConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Env } from '../config/env.ts'
import { withClient } from '../db/engine.ts'
import { openEngine, type Sql, sqlOn } from '../db/open.ts'
import { type Finding, failed, passed } from '../operations/examine.ts'
import { openBacklog } from '../sources/polling/due.ts'
import {
  checked,
  connectionFindings,
  fetchText,
  migrationFindings,
  type Query,
  skewFinding,
  storeFindings,
} from './examine-shared.ts'

interface ClusterContext {
  sql: Sql
  query: Query
  config: Config
  /** Bearer key for the metrics of the nodes. Undefined if they are public. */
  metricsKey: string | undefined
}

interface ClusterNode {
  id: string
  url: string | null
  role: Role
  is_dead: boolean
  /** Seconds since the node's last heartbeat. */
  silent_seconds: number
}

/** A node's answer to health and metrics requests. */
interface NodeAnswer {
  ready: boolean
  ms: number
  /** The node's metrics, by name and labels as printed. Undefined if access was denied. */
  metrics: Map<string, number> | undefined
}

/** Maximum number of seconds since the last heartbeat of a node that counts as alive. */
const ALIVE_SECONDS = 4
const WAITING_SECONDS_MAX = 60
const SOURCES_SECONDS_MAX = 900
const SKEW_SECONDS_MAX = 5
/** Maximum share of a memory limit that may be used. It applies to loaded graphs and to a process. */
const MEMORY_SHARE_MAX = 0.9
const ID_CHARS = 8

/** Checks all processes on the database in DATABASE_URL, and the resources that they share. Changes nothing. */
export async function examineCluster(env: Env): Promise<Finding[]> {
  let config: Config
  try {
    config = toConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [failed('settings', error.message)]
  }
  const { databaseUrl: url } = config
  if (url === null) return [failed('settings', 'DATABASE_URL is not set: a cluster needs a shared database.')]
  const engine = await openEngine({ url, connectionsMax: 2 })
  try {
    const query: Query = <T>(statement: string) =>
      withClient(engine, async (client) => {
        const results: unknown = await client.query(statement, [])
        // Several statements give a list of results. The last one belongs to `commit`.
        return ((Array.isArray(results) ? results.at(-2) : results) as { rows: T[] }).rows
      })
    const context = { sql: sqlOn(engine), query, config, metricsKey: env.CAIRN_METRICS_KEY ?? env.CAIRN_ADMIN_KEY }
    return await examineAll(context)
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'no reply'
    return [failed('database', `The database cannot be queried (${reason}): start it, or correct DATABASE_URL.`)]
  } finally {
    await engine.close()
  }
}

async function examineAll(context: ClusterContext): Promise<Finding[]> {
  const migrations = await migrationFindings(context.query)
  if (migrations.some(({ isGood }) => !isGood)) return migrations
  const nodes = await listNodes(context)
  const alive = nodes.filter(({ is_dead }) => !is_dead)
  const answers = new Map<string, NodeAnswer>()
  await Promise.all(
    alive.map(async ({ id, url }) => {
      if (url !== null) answers.set(id, await probe(url, context.metricsKey))
    }),
  )
  return [
    ...migrations,
    ...nodes.map((node) => nodeFinding(node, answers.get(node.id))),
    ...addressFindings(alive),
    ...(alive.some(({ role }) => takesWork(role))
      ? []
      : [failed('nodes', 'No process takes work: start a process whose CAIRN_ROLE is `worker` or `all`.')]),
    ...versionFindings(answers),
    ...(await leaseFindings(context, nodes)),
    ...(await backlogFindings(context)),
    ...graphFindings(nodes, answers),
    ...(await connectionFindings(context.query)),
    await skewFinding(context.query),
    ...(await storeFindings(context.config)),
  ]
}

function listNodes({ sql }: ClusterContext): Promise<ClusterNode[]> {
  return sql.look<ClusterNode>({ worker: true }, (tx) =>
    tx
      .selectFrom('node')
      .select([
        'id',
        'url',
        'role',
        text<boolean>`beat_until < now()`.as('is_dead'),
        text<number>`greatest(0, extract(epoch from now() - beat_until)::float8 + ${ALIVE_SECONDS}::int)`.as(
          'silent_seconds',
        ),
      ])
      .orderBy('url'),
  )
}

async function probe(url: string, key: string | undefined): Promise<NodeAnswer> {
  const fromMs = performance.now()
  const ready = (await fetchText(`${url}/readyz`))?.ok === true
  const ms = Math.round(performance.now() - fromMs)
  const metrics = ready
    ? await fetchText(`${url}/metrics`, key === undefined ? {} : { authorization: `Bearer ${key}` })
    : undefined
  return { ready, ms, metrics: metrics?.ok ? parseMetrics(metrics.text) : undefined }
}

function parseMetrics(printed: string): Map<string, number> {
  const lines = printed.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

function nameOf({ id, url, role }: Pick<ClusterNode, 'id' | 'url' | 'role'>): string {
  const name = url ?? `process ${id.slice(0, ID_CHARS)}`
  return role === 'all' ? name : `${name} (${role})`
}

function nodeFinding(node: ClusterNode, answer: NodeAnswer | undefined): Finding {
  const name = nameOf(node)
  const lastSeen = `last heartbeat ${node.silent_seconds.toFixed(1)} s ago`
  if (node.is_dead)
    return failed('nodes', `${name} is dead, ${lastSeen}: its sandboxes move to other nodes; restart or remove it.`)
  if (node.url === null) return passed('nodes', `${name} serves no sandboxes (it has no node URL), ${lastSeen}.`)
  if (!answer?.ready) {
    return failed('nodes', `${name} is not ready (/readyz), ${lastSeen}: it is stopping, or its URL is unreachable.`)
  }
  const { metrics } = answer
  if (metrics === undefined) {
    return passed('nodes', `${name} is ready (${answer.ms} ms), ${lastSeen}; its metrics need CAIRN_METRICS_KEY.`)
  }
  const skew = metrics.get('cairn_clock_skew_seconds') ?? 0
  const unserved = metrics.get('cairn_unserved_sandboxes') ?? 0
  const memory = (metrics.get('process_resident_memory_bytes') ?? 0) / (metrics.get('cairn_memory_max_bytes') ?? 1)
  const [share, used] = [Math.round(memory * 100), Math.round(MEMORY_SHARE_MAX * 100)]
  const shown = `${name} is ready (${answer.ms} ms), ${lastSeen}`
  if (unserved > 0) return failed('nodes', `${shown}, but the store of ${unserved} sandboxes fails: check its log.`)
  if (share > used) return failed('nodes', `${shown}, and uses ${share} % of its memory: give it more, or add a node.`)
  if (Math.abs(skew) > SKEW_SECONDS_MAX) {
    return failed('nodes', `${shown}, and its clock is ${skew.toFixed(0)} s from the database's: synchronize it (NTP).`)
  }
  return passed('nodes', `${shown}, ${share} % of its memory in use.`)
}

/** Returns a finding for each address that more than one live node claims. */
function addressFindings(alive: readonly ClusterNode[]): Finding[] {
  const ids = new Map<string, string[]>()
  for (const { id, url } of alive) if (url !== null) ids.set(url, [...(ids.get(url) ?? []), id.slice(0, ID_CHARS)])
  return [...ids].flatMap(([url, of]) => {
    if (of.length === 1) return []
    const shown = `${of.length} processes (${of.join(', ')}) report the same address ${url}`
    return [failed('nodes', `${shown}, so requests for one reach another: give each its own CAIRN_NODE_URL.`)]
  })
}

function versionFindings(answers: ReadonlyMap<string, NodeAnswer>): Finding[] {
  const names = [...answers.values()].flatMap(({ metrics }) =>
    [...(metrics?.keys() ?? [])].filter((name) => name.startsWith('cairn_build_info')),
  )
  const versions = [...new Set(names.map((name) => /version="([^"]*)"/.exec(name)?.[1] ?? '?'))]
  if (versions.length === 0) return []
  const shown = versions.join(' and ')
  if (versions.length > 1) return [failed('version', `Versions ${shown} run at the same time. Finish the upgrade.`)]
  return [passed('version', `All processes run version ${shown}.`)]
}

async function leaseFindings({ sql, config }: ClusterContext, nodes: readonly ClusterNode[]): Promise<Finding[]> {
  const rows = await sql.look<{ owner: string; count: number }>({ worker: true }, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select([text<string>`lease_owner`.as('owner'), text<number>`count(*)`.as('count')])
      .where('lease_until', '>', text<Date>`now()`)
      .groupBy('lease_owner')
      .orderBy('lease_owner'),
  )
  const byId = new Map(nodes.map((node) => [node.id, node]))
  if (rows.length === 0) return [passed('leases', 'No process holds a lease: no sandbox is being processed.')]
  return rows.map(({ owner, count }) => {
    const node = byId.get(owner)
    const name = nameOf(node ?? { id: owner, url: null, role: 'all' })
    const isGood = node !== undefined && !node.is_dead
    return checked(
      'leases',
      isGood,
      `${name} holds ${count}`,
      `it sends no heartbeat; leases expire within ${config.leaseSeconds} seconds.`,
    )
  })
}

async function backlogFindings({ sql }: ClusterContext): Promise<Finding[]> {
  const waiting = await openBacklog({ sql, clock: systemClock })()
  const records = `${waiting.records} records wait, the oldest for ${waiting.recordsSeconds.toFixed(0)} s`
  const sources = `${waiting.sources} sources are due, the first for ${waiting.sourcesSeconds.toFixed(0)} s`
  const stuck = `${waiting.givenUp} records could not be applied after five attempts`
  return [
    checked(
      'waiting',
      waiting.recordsSeconds <= WAITING_SECONDS_MAX,
      records,
      'look for `apply failed` in the logs, and check the store below.',
    ),
    checked('given up', waiting.givenUp === 0, stuck, 'they are still stored; see `apply failed` in the logs.'),
    checked(
      'sources',
      waiting.sourcesSeconds <= SOURCES_SECONDS_MAX,
      sources,
      'add a process, or look for `pull failed`.',
    ),
  ]
}

/** Returns findings about the graphs that the nodes have loaded, and the number of those with another home node. */
function graphFindings(nodes: readonly ClusterNode[], answers: ReadonlyMap<string, NodeAnswer>): Finding[] {
  return nodes.flatMap((node) => {
    const metrics = answers.get(node.id)?.metrics
    if (!metrics) return []
    const metric = (name: string) => metrics.get(name) ?? 0
    const [loaded, homedElsewhere] = [metric('cairn_graphs'), metric('cairn_graphs_elsewhere')]
    const [bytes, most] = [metric('cairn_graph_bytes'), metric('cairn_graph_max_bytes')]
    const mib = (count: number) => Math.round(count / 2 ** 20)
    const holds = `${nameOf(node)} holds ${loaded} graphs in ${mib(bytes)} of ${mib(most)} MiB`
    const shown = `${holds}, ${homedElsewhere} of them with another home node`
    const isFull = bytes > most * MEMORY_SHARE_MAX && metric('cairn_graphs_refused_total') > 0
    return [checked('graphs', !isFull, shown, 'some did not fit in memory; raise CAIRN_GRAPH_MIB, or add memory.')]
  })
}

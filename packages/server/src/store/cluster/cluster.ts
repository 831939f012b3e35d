import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Log } from '../../base/log.ts'
import type { Observe } from '../../base/observe.ts'
import { answers, type Role, takesWork } from '../../base/role.ts'
import type { Notifications } from '../../db/notifications.ts'
import type { Sql } from '../../db/open.ts'
import { createNodes, type Node, type Nodes } from './nodes.ts'
import type { HomeNode } from './pick-home-node.ts'

/** The processes that share a database. Each sandbox has a home node among them. */
export interface Cluster extends Pick<Nodes, 'homeNodeOf' | 'workerNodeOf' | 'workers'> {
  readonly role: Role
  /** Returns true if this process works on the sandbox: it takes work, and no other node is the sandbox's worker. */
  isLocal(sandboxId: string): boolean
  /** Returns true if this process answers and works for the sandbox, so that it need not release the lease. */
  isSettled(sandboxId: string): boolean
  /** Returns true if the node's heartbeat is current. */
  isAlive(place: HomeNode): boolean
  /** Returns the number of live processes, including this one. */
  count(): number
  /** Returns messages about problems of the whole cluster. */
  warnings(): string[]
  /** Calls `changed` whenever nodes join or leave. */
  onChange(changed: () => void): void
  /** Announces the URL of this process and makes it eligible as a home node. Null makes it ineligible. */
  join(url: string | null): Promise<void>
  /** Hands this process's sandboxes to other nodes. Returns false, and changes nothing, if there are no others. */
  leave(): Promise<boolean>
  /** Removes this process from the cluster and stops the heartbeat. */
  stop(): Promise<void>
}

interface ClusterOptions {
  sql: Sql
  log: Log
  notifications: Notifications
  /** Unique id of this process. */
  ownerId: string
  role: Role
  /** Releases the leases of a dead process. Called again if it fails. */
  releaseLeasesOf: (ownerId: string) => Promise<void>
  observe: Observe
}

/** Heartbeat interval and validity. A killed process is noticed after about four seconds. */
const HEARTBEAT_MS = 1_000
const ALIVE_SECONDS = 4

/** Milliseconds between log messages about the lack of workers. */
const WARNING_INTERVAL_MS = 60_000
const NO_WORKER_WARNING =
  'No process on this database does background work: accepted records are not applied, and sources are not pulled. ' +
  'Start a process with CAIRN_ROLE=worker, or without CAIRN_ROLE.'

/** Returns a cluster of only this process. It is the home node of every sandbox. */
export function singleNodeCluster(): Cluster {
  return {
    role: 'all',
    homeNodeOf: () => undefined,
    workerNodeOf: () => undefined,
    isLocal: () => true,
    isSettled: () => true,
    isAlive: () => true,
    count: () => 1,
    workers: () => 1,
    warnings: () => [],
    onChange: () => undefined,
    join: async () => undefined,
    leave: async () => false,
    stop: async () => undefined,
  }
}

/** Joins the processes that share the database. Rejects if the database cannot be queried. */
export async function openCluster({
  sql: control,
  log,
  notifications,
  ownerId,
  role,
  releaseLeasesOf,
  observe,
}: ClusterOptions): Promise<Cluster> {
  const stopping = new AbortController()
  const changes: (() => void)[] = []
  const nodes = createNodes({ id: ownerId, url: null, role })
  const warnWithoutWorkers = createNoWorkerWarning(log)
  let isLeaving = false
  let pause = new AbortController()

  const beat = async (): Promise<void> => {
    const known = await sendHeartbeat(control, nodes.own)
    const dead = known.flatMap(({ id, is_dead }) => (is_dead && id !== ownerId ? [id] : []))
    const others = known.filter(({ id, is_dead }) => !is_dead && id !== ownerId)
    const isChanged = nodes.replaceOthers(others)
    warnWithoutWorkers(nodes.workers())
    if (isChanged) for (const changed of changes) changed()
    for (const id of dead) {
      await releaseLeasesOf(id)
      await removeNode(control, id)
    }
    // Other processes can take over the sandboxes of dead ones only now.
    if (dead.length > 0) for (const changed of changes) changed()
  }
  const isLocal = (sandboxId: string): boolean => {
    if (!takesWork(role)) return false
    if (nodes.others.length === 0) return true
    return !isLeaving && nodes.workerNodeOf(sandboxId) === undefined
  }
  const beatOrLog = (): Promise<void> =>
    observe('node.beat', beat).catch((error: unknown) =>
      log.warn('the heartbeat of this process could not be written', { error }),
    )

  const heartbeatLoop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(HEARTBEAT_MS, undefined, { signal: pause.signal }).catch(() => undefined)
      // A notification that arrives during the heartbeat ends the next pause.
      pause = new AbortController()
      if (!stopping.signal.aborted) await beatOrLog()
    }
  }

  await beat()
  notifications.subscribe('nodes', () => pause.abort())
  const loop = heartbeatLoop()
  return {
    role,
    homeNodeOf: nodes.homeNodeOf,
    workerNodeOf: nodes.workerNodeOf,
    isLocal,
    isSettled: (sandboxId) => isLocal(sandboxId) && answers(role) && nodes.homeNodeOf(sandboxId) === undefined,
    isAlive: ({ id }) => nodes.others.some((other) => other.id === id),
    count: () => nodes.others.length + 1,
    workers: nodes.workers,
    warnings: () => (nodes.workers() > 0 ? [] : [NO_WORKER_WARNING]),
    onChange: (changed) => void changes.push(changed),
    join: async (url) => {
      nodes.setOwn({ id: ownerId, url, role })
      await beat()
      notifications.publish('nodes', 'come')
    },
    leave: async () => {
      await beatOrLog()
      if (nodes.others.length === 0) return false
      isLeaving = true
      nodes.setOwn({ id: ownerId, url: null, role })
      await beatOrLog()
      notifications.publish('nodes', 'leaving')
      return true
    },
    stop: async () => {
      stopping.abort()
      pause.abort()
      await loop
      await removeNode(control, ownerId).catch((error: unknown) => {
        log.warn('the other processes could not be notified that this process is stopping', { error })
      })
    },
  }
}

/** Returns a function that logs an error, at most once per interval, while no process takes work. */
function createNoWorkerWarning(log: Log): (workers: number) => void {
  let warnedAtMs = Number.NEGATIVE_INFINITY
  return (workers) => {
    if (workers > 0 || performance.now() - warnedAtMs < WARNING_INTERVAL_MS) return
    warnedAtMs = performance.now()
    log.error(NO_WORKER_WARNING)
  }
}

/** Writes the heartbeat and returns all known processes. The row of this process is its previous state. */
async function sendHeartbeat(control: Sql, { id, url, role }: Node): Promise<(Node & { is_dead: boolean })[]> {
  const until = sql<Date>`now() + make_interval(secs => ${ALIVE_SECONDS})`
  return control.write<Node & { is_dead: boolean }>(
    { worker: true },
    (tx) =>
      tx
        .with('noted', (into) =>
          into
            .insertInto('node')
            .values({ id, url, role, beat_until: until })
            .onConflict((conflict) => conflict.column('id').doUpdateSet({ url, role, beat_until: until }))
            .returning('node.id'),
        )
        .selectFrom('node')
        .select(['node.id', 'node.url', 'node.role', sql<boolean>`beat_until < now()`.as('is_dead')]),
    { isDurable: false },
  )
}

async function removeNode(control: Sql, id: string): Promise<void> {
  await control.transact({ worker: true }, (tx) => tx.deleteFrom('node').where('id', '=', id).execute())
}

/** Returns the number of live processes on the database. A process whose heartbeat is late counts by its leases. */
export async function countServing(control: Pick<Sql, 'transact'>): Promise<number> {
  return control.transact({ worker: true }, async (tx) => {
    const { rows } = await sql<{ serving: number }>`
      select count(distinct id)::int as serving from (
        select id from node where beat_until > now()
        union all
        select lease_owner from sandbox_head where lease_until > now()
      ) as serving (id)`.execute(tx)
    return rows[0]?.serving ?? 0
  })
}

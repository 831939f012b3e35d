import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Log } from '../../base/log.ts'
import type { Observe } from '../../base/observe.ts'
import { answers, type Role, takesWork } from '../../base/role.ts'
import type { Announcements } from '../../db/announcements.ts'
import type { Sql } from '../../db/open.ts'
import { createNodes, type Node } from './nodes.ts'
import type { Place } from './place.ts'

/** The processes that share a database. Each sandbox has a home node among them. */
export interface Cluster {
  /** The role of this process. */
  readonly role: Role
  /** Returns the home node that answers questions about the sandbox. Undefined if it is this process. */
  placeOf(sandboxId: string): Place | undefined
  /** Returns the node that applies changes to the sandbox. Undefined if it is this process. */
  workPlaceOf(sandboxId: string): Place | undefined
  /** Returns true if this process works on the sandbox: it takes work, and no other node is the sandbox's worker. */
  isHere(sandboxId: string): boolean
  /**
   * Returns true if this process both answers questions about the sandbox and works on it. It then need not release the
   * lease.
   */
  isSettled(sandboxId: string): boolean
  /** Returns true if the node's heartbeat is current. */
  isAlive(place: Place): boolean
  /** Returns the number of live processes, including this one. */
  count(): number
  /** Returns the number of live processes that take work. */
  workers(): number
  /** Returns problems of the cluster as a whole, for people. */
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
  announcements: Announcements
  /** Unique id of this process. */
  ownerId: string
  role: Role
  /** Releases what a dead process holds. Retried if it fails. */
  bury: (ownerId: string) => Promise<void>
  observe: Observe
}

/**
 * Heartbeat interval, and how long a heartbeat is valid. A killed process is noticed about four seconds after its last
 * heartbeat.
 */
const BEAT_MS = 1_000
const ALIVE_SECONDS = 4

/** Milliseconds between log messages about the lack of workers. */
const IDLE_SAID_MS = 60_000
const NOBODY_WORKS =
  'No process on this database does background work: accepted records are not applied, and sources are not pulled. ' +
  'Start a process with CAIRN_ROLE=worker, or without CAIRN_ROLE.'

/** Returns a cluster of only this process. It is the home node of every sandbox. */
export function aloneInCluster(): Cluster {
  return {
    role: 'all',
    placeOf: () => undefined,
    workPlaceOf: () => undefined,
    isHere: () => true,
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

/**
 * Joins the processes that share the database, at first without sandboxes. Rejects if the database cannot be queried.
 */
export async function openCluster({
  sql: control,
  log,
  announcements,
  ownerId,
  role,
  bury,
  observe,
}: ClusterOptions): Promise<Cluster> {
  const stopping = new AbortController()
  const changes: (() => void)[] = []
  const nodes = createNodes({ id: ownerId, url: null, role })
  const sayWhenNobodyWorks = saysWhenNobodyWorks(log)
  let isLeaving = false
  let pause = new AbortController()

  const beat = async (): Promise<void> => {
    const known = await beatOnce(control, nodes.own)
    const dead = known.flatMap(({ id, is_dead }) => (is_dead && id !== ownerId ? [id] : []))
    const others = known.filter(({ id, is_dead }) => !is_dead && id !== ownerId)
    const isChanged = nodes.note(others)
    sayWhenNobodyWorks(nodes.workers())
    if (isChanged) for (const changed of changes) changed()
    for (const id of dead) {
      await bury(id)
      await forget(control, id)
    }
    // Sandboxes of dead processes can be taken over after this.
    if (dead.length > 0) for (const changed of changes) changed()
  }
  const isHere = (sandboxId: string): boolean => {
    if (!takesWork(role)) return false
    if (nodes.others.length === 0) return true
    return !isLeaving && nodes.workPlaceOf(sandboxId) === undefined
  }
  const beatOrSay = (): Promise<void> =>
    observe('node.beat', beat).catch((error: unknown) =>
      log.warn('the heartbeat of this process could not be written', { error }),
    )

  const goOn = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(BEAT_MS, undefined, { signal: pause.signal }).catch(() => undefined)
      // A notification that arrives during the heartbeat ends the next pause.
      pause = new AbortController()
      if (!stopping.signal.aborted) await beatOrSay()
    }
  }

  await beat()
  announcements.on('nodes', () => pause.abort())
  const going = goOn()
  return {
    role,
    placeOf: nodes.placeOf,
    workPlaceOf: nodes.workPlaceOf,
    isHere,
    isSettled: (sandboxId) => isHere(sandboxId) && answers(role) && nodes.placeOf(sandboxId) === undefined,
    isAlive: ({ id }) => nodes.others.some((other) => other.id === id),
    count: () => nodes.others.length + 1,
    workers: nodes.workers,
    warnings: () => (nodes.workers() > 0 ? [] : [NOBODY_WORKS]),
    onChange: (changed) => void changes.push(changed),
    join: async (url) => {
      nodes.become({ id: ownerId, url, role })
      await beat()
      announcements.tell('nodes', 'come')
    },
    leave: async () => {
      await beatOrSay()
      if (nodes.others.length === 0) return false
      isLeaving = true
      nodes.become({ id: ownerId, url: null, role })
      await beatOrSay()
      announcements.tell('nodes', 'leaving')
      return true
    },
    stop: async () => {
      stopping.abort()
      pause.abort()
      await going
      await forget(control, ownerId).catch((error: unknown) => {
        log.warn('the other processes could not be notified that this process is stopping', { error })
      })
    },
  }
}

/** Returns a function that logs an error, at most once per interval, while no process takes work. */
function saysWhenNobodyWorks(log: Log): (workers: number) => void {
  let saidMs = Number.NEGATIVE_INFINITY
  return (workers) => {
    if (workers > 0 || performance.now() - saidMs < IDLE_SAID_MS) return
    saidMs = performance.now()
    log.error(NOBODY_WORKS)
  }
}

/** Writes the heartbeat and returns all known processes. The row of this process is its previous state. */
async function beatOnce(control: Sql, { id, url, role }: Node): Promise<(Node & { is_dead: boolean })[]> {
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

async function forget(control: Sql, id: string): Promise<void> {
  await control.transact({ worker: true }, (tx) => tx.deleteFrom('node').where('id', '=', id).execute())
}

/** Returns the number of live processes on the database. Older versions without heartbeats count by their leases. */
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

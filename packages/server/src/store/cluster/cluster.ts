import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Log } from '../../base/log.ts'
import type { Observe } from '../../base/observe.ts'
import { answers, type Role, takesWork } from '../../base/role.ts'
import type { Announcements } from '../../db/announcements.ts'
import type { Sql } from '../../db/open.ts'
import { createNodes, type Node } from './nodes.ts'
import type { Place } from './place.ts'

/** The processes that share a database, of which each sandbox has its place at one. */
export interface Cluster {
  /** What this process does. */
  readonly role: Role
  /** The node where questions about the sandbox are answered, when that is another one. */
  placeOf(sandboxId: string): Place | undefined
  /** The node where the sandbox is worked on, when that is another one. */
  workPlaceOf(sandboxId: string): Place | undefined
  /** Whether work on the sandbox is for this process: it takes work, and nobody else has its place. */
  isHere(sandboxId: string): boolean
  /** Whether all that is done with the sandbox is for this process, which then need not give its lease up. */
  isSettled(sandboxId: string): boolean
  /** Whether a node is still heard of. */
  isAlive(place: Place): boolean
  /** How many processes are heard of, this one among them. */
  count(): number
  /** How many of them take work. */
  workers(): number
  /** What is wrong with the processes taken together, in words for people. */
  warnings(): string[]
  /** Calls `changed` whenever nodes come or go. */
  onChange(changed: () => void): void
  /** Says where the others reach this process, which has places from then on; null leaves it without. */
  join(url: string | null): Promise<void>
  /** Gives its places to the others; false when there are none, and nothing has changed. */
  leave(): Promise<boolean>
  /** Says that this process is gone, and looks no more. */
  stop(): Promise<void>
}

interface ClusterOptions {
  sql: Sql
  log: Log
  announcements: Announcements
  /** What tells this process from the others. */
  ownerId: string
  role: Role
  /** Gives up what a process that is heard of no more has left behind; done again when it fails. */
  bury: (ownerId: string) => Promise<void>
  observe: Observe
}

/** How often a process says that it lives, and for how long it is believed: kill -9 is noticed between the two. */
const BEAT_MS = 1_000
const ALIVE_SECONDS = 4

/** How often the log says that no process works. */
const IDLE_SAID_MS = 60_000
const NOBODY_WORKS =
  'No process on this database takes work: what is accepted is not applied, and no source is read. ' +
  'Start one with CAIRN_ROLE=worker, or without CAIRN_ROLE.'

/** A process that shares its database with nobody: every sandbox has its place here. */
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

/** Joins the processes that share the database, without places at first. Rejects when the database cannot be asked. */
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
  let rouse = () => {}

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
    // What the dead have left can be taken from now on.
    if (dead.length > 0) for (const changed of changes) changed()
  }
  const isHere = (sandboxId: string): boolean => {
    if (!takesWork(role)) return false
    if (nodes.others.length === 0) return true
    return !isLeaving && nodes.workPlaceOf(sandboxId) === undefined
  }
  const beatOrSay = (): Promise<void> =>
    observe('node.beat', beat).catch((error: unknown) =>
      log.warn('the heartbeat of this process was not noted', { error }),
    )

  const goOn = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pause = new AbortController()
      rouse = () => pause.abort()
      await sleep(BEAT_MS, undefined, { signal: pause.signal }).catch(() => undefined)
      if (!stopping.signal.aborted) await beatOrSay()
    }
  }

  await beat()
  announcements.on('nodes', () => rouse())
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
      rouse()
      await going
      await forget(control, ownerId).catch((error: unknown) => {
        log.warn('the others were not told that this process stops', { error })
      })
    },
  }
}

/** Says it now and then while nobody works. */
function saysWhenNobodyWorks(log: Log): (workers: number) => void {
  let saidMs = Number.NEGATIVE_INFINITY
  return (workers) => {
    if (workers > 0 || performance.now() - saidMs < IDLE_SAID_MS) return
    saidMs = performance.now()
    log.error(NOBODY_WORKS)
  }
}

/** Notes that the process lives, and gives all that are known; the process itself as it was noted before. */
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

/** How many processes live on the database: those that say so, and those of older programs that hold a lease. */
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

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Log } from '../../base/log.ts'
import type { Observe } from '../../base/observe.ts'
import type { Announcements } from '../../db/announcements.ts'
import type { Sql } from '../../db/open.ts'
import { type Place, placeAmong } from './place.ts'

/** The processes that share a database, of which each sandbox has its place at one. */
export interface Cluster {
  /** The node where the sandbox has its place, when that is another one. */
  placeOf(sandboxId: string): Place | undefined
  /** Whether work on the sandbox is for this process: nobody else has its place. */
  isHere(sandboxId: string): boolean
  /** Whether a node is still heard of. */
  isAlive(place: Place): boolean
  /** How many processes are heard of, this one among them. */
  count(): number
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
  /** Gives up what a process that is heard of no more has left behind; done again when it fails. */
  bury: (ownerId: string) => Promise<void>
  observe: Observe
}

/** How often a process says that it lives, and for how long it is believed: kill -9 is noticed between the two. */
const BEAT_MS = 1_000
const ALIVE_SECONDS = 4

interface Node {
  id: string
  url: string | null
}

/** A process that shares its database with nobody: every sandbox has its place here. */
export function aloneInCluster(): Cluster {
  return {
    placeOf: () => undefined,
    isHere: () => true,
    isAlive: () => true,
    count: () => 1,
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
  bury,
  observe,
}: ClusterOptions): Promise<Cluster> {
  const stopping = new AbortController()
  const changes: (() => void)[] = []
  let own: Node = { id: ownerId, url: null }
  let isLeaving = false
  let others: Node[] = []
  let places: Place[] = []
  let rouse = () => {}

  const beat = async (): Promise<void> => {
    const known = await beatOnce(control, own)
    const dead = known.flatMap(({ id, is_dead }) => (is_dead && id !== ownerId ? [id] : []))
    const before = signatureOf([own, ...others])
    others = known.filter(({ id, is_dead }) => !is_dead && id !== ownerId)
    places = placesOf(own, others)
    if (signatureOf([own, ...others]) !== before) for (const changed of changes) changed()
    for (const id of dead) {
      await bury(id)
      await forget(control, id)
    }
    // What the dead have left can be taken from now on.
    if (dead.length > 0) for (const changed of changes) changed()
  }
  const beatOrSay = (): Promise<void> =>
    observe('node.beat', beat).catch((error: unknown) =>
      log.warn('the heartbeat of this process was not noted', { error }),
    )

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pause = new AbortController()
      rouse = () => pause.abort()
      await sleep(BEAT_MS, undefined, { signal: pause.signal }).catch(() => undefined)
      if (!stopping.signal.aborted) await beatOrSay()
    }
  }

  await beat()
  announcements.on('nodes', () => rouse())
  const working = work()
  return {
    placeOf: (sandboxId) => {
      const place = places.length > 0 && others.length > 0 ? placeAmong(sandboxId, places) : undefined
      return place?.id === ownerId ? undefined : place
    },
    isHere: (sandboxId) => {
      if (others.length === 0) return true
      if (isLeaving) return false
      return places.length === 0 || placeAmong(sandboxId, places)?.id === ownerId
    },
    isAlive: ({ id }) => others.some((other) => other.id === id),
    count: () => others.length + 1,
    onChange: (changed) => void changes.push(changed),
    join: async (url) => {
      own = { id: ownerId, url }
      await beat()
      announcements.tell('nodes', 'come')
    },
    leave: async () => {
      await beatOrSay()
      if (others.length === 0) return false
      isLeaving = true
      own = { id: ownerId, url: null }
      await beatOrSay()
      announcements.tell('nodes', 'leaving')
      return true
    },
    stop: async () => {
      stopping.abort()
      rouse()
      await working
      await forget(control, ownerId).catch((error: unknown) => {
        log.warn('the others were not told that this process stops', { error })
      })
    },
  }
}

/** Notes that the process lives, and gives all that are known; the process itself as it was noted before. */
async function beatOnce(control: Sql, { id, url }: Node): Promise<(Node & { is_dead: boolean })[]> {
  const until = sql<Date>`now() + make_interval(secs => ${ALIVE_SECONDS})`
  return control.write<Node & { is_dead: boolean }>(
    { worker: true },
    (tx) =>
      tx
        .with('noted', (into) =>
          into
            .insertInto('node')
            .values({ id, url, beat_until: until })
            .onConflict((conflict) => conflict.column('id').doUpdateSet({ url, beat_until: until }))
            .returning('node.id'),
        )
        .selectFrom('node')
        .select(['node.id', 'node.url', sql<boolean>`beat_until < now()`.as('is_dead')]),
    { isDurable: false },
  )
}

async function forget(control: Sql, id: string): Promise<void> {
  await control.transact({ worker: true }, (tx) => tx.deleteFrom('node').where('id', '=', id).execute())
}

/** The nodes with places; of two processes at one address, the one that died there is not noticed yet. */
function placesOf(own: Node, others: readonly Node[]): Place[] {
  const byUrl = new Map<string, Place>()
  for (const { id, url } of [...others, own]) if (url !== null) byUrl.set(url, { id, url })
  return [...byUrl.values()]
}

function signatureOf(nodes: readonly Node[]): string {
  return nodes
    .map(({ id, url }) => `${id} ${url}`)
    .sort()
    .join('\n')
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

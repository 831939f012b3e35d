import { setTimeout as sleep } from 'node:timers/promises'
import { openDiskSpaceGuard } from '../../packages/server/src/base/disk-space-guard.ts'
import { newId } from '../../packages/server/src/base/id.ts'
import { openLog } from '../../packages/server/src/base/log.ts'
import { unobserved } from '../../packages/server/src/base/observe.ts'
import type { SafeFetch } from '../../packages/server/src/base/safe-fetch.ts'
import type { Sql } from '../../packages/server/src/db/open.ts'
import { openWorkPoller } from '../../packages/server/src/db/work-poller.ts'
import type { Poller } from '../../packages/server/src/sources/context.ts'
import { startPoller } from '../../packages/server/src/sources/polling/poller.ts'
import { listDue } from '../../packages/server/src/sources/polling/pull-run.ts'
import { singleNodeCluster } from '../../packages/server/src/store/cluster/cluster.ts'
import { createHeldKeys } from '../../packages/server/src/tenancy/caller-keys/retained-keys.ts'
import { type GithubServer, type HostFault, issueOf } from '../harness/github-server.ts'
import type { SlackServer } from '../harness/slack-server.ts'
import type { TestClock } from '../harness/test-clock.ts'

/** Environment of a simulated day. */
export interface DayWorld {
  sql: Sql
  clock: TestClock
  userId: string
  chance: () => number
  github: GithubServer
  slack: SlackServer
  fetch: SafeFetch['fetch']
}

/** Events counted during the simulation. */
export interface DayEvents {
  kills: number
  faults: number
  /** Requests sent earlier than the host's Retry-After allowed. */
  impatient: number
  outcomes: Map<string, number>
}

/** A process that polls sources. Killing it disconnects its database. */
interface DayPoller {
  ownerId: string
  poller: Poller
  kill(): void
}

const FAULTS: HostFault[] = ['hangs', 'asks to wait', 'breaks', 'breaks off', 'tears']
const FAULT_SHARE = 0.015
const NEWS_SHARE = 0.04
const KILL_SHARE = 0.1
const STEP_MS = 10 * 60_000
const RETRY_AFTER_MS = 120_000
const QUIET_MS_MAX = 60_000
const LOOK_MS = 20
const MS_PER_SECOND = 1000

/**
 * Simulates hours: rough ones with new content, failing hosts and dying processes, or calm ones without new content.
 */
export async function passTime(world: DayWorld, hours: number, isRough: boolean): Promise<DayEvents> {
  const { clock, chance } = world
  const events: DayEvents = { kills: 0, faults: 0, impatient: 0, outcomes: new Map() }
  setFaults(world, events, isRough ? FAULT_SHARE : 0)
  let readers = [startDayPoller(world), startDayPoller(world)]
  const note = ({ poller }: DayPoller) => {
    for (const { outcome, count } of poller.read())
      events.outcomes.set(outcome, (events.outcomes.get(outcome) ?? 0) + count)
  }
  for (let ms = 0; ms < hours * 3_600_000; ms += STEP_MS) {
    clock.advance(STEP_MS)
    if (isRough) makeNews(world)
    const [first, second] = readers as [DayPoller, DayPoller]
    if (isRough && chance() < KILL_SHARE) {
      setTimeout(() => first.kill(), chance() * 60)
      await untilQuiet(world, [second])
      note(first)
      void first.poller.stop()
      events.kills += 1
      readers = [second, startDayPoller(world)]
    } else await untilQuiet(world, readers)
  }
  for (const reader of readers) {
    note(reader)
    await reader.poller.stop()
  }
  return events
}

function startDayPoller(world: DayWorld): DayPoller {
  const dead = new AbortController()
  const transact: Sql['transact'] = async (scope, work, options) => {
    if (dead.signal.aborted) throw new Error('killed')
    return world.sql.transact(scope, work, options)
  }
  const ownerId = newId('key', world.clock)
  const log = openLog('silent', world.clock, () => undefined)
  const own = {
    sql: { ...world.sql, transact },
    clock: world.clock,
    ownerId,
    log,
    diskSpace: openDiskSpaceGuard('', 0),
  }
  const workPoller = openWorkPoller(own.sql, log)
  const planes = { ...own, cluster: singleNodeCluster(), observe: unobserved, seals: createHeldKeys(), workPoller }
  const poller = startPoller(planes, {
    applier: { wake: () => undefined },
    fetch: world.fetch,
    openCredential: async () => 'xoxb-of-the-day',
    chance: world.chance,
    takeRecords: async () => 0,
  })
  const stop = async () => {
    await workPoller.stop()
    await poller.stop()
  }
  return { ownerId, poller: { ...poller, stop }, kill: () => dead.abort() }
}

/** Resolves once no source is due for a living process and none is being polled. */
async function untilQuiet({ sql, clock, userId }: DayWorld, living: DayPoller[]): Promise<void> {
  const until = performance.now() + QUIET_MS_MAX
  const owners = living.map(({ ownerId }) => ownerId)
  for (const { poller } of living) poller.wake()
  while (performance.now() < until) {
    const due = await listDue({ sql, clock, cluster: singleNodeCluster(), seals: createHeldKeys() }, 1, 'readable')
    const read = await sql.transact(userId, (tx) =>
      tx
        .selectFrom('source')
        .select('id')
        .where('poll_owner', 'in', owners)
        .where('poll_until', '>', clock.now())
        .limit(1)
        .execute(),
    )
    if (due.length === 0 && read.length === 0) return
    await sleep(LOOK_MS)
  }
  throw new Error('Sources are due, but no process polls them.')
}

function setFaults({ github, slack, chance, clock }: DayWorld, events: DayEvents, share: number): void {
  const notBefore = new Map<string, number>()
  const fault = (name: string): HostFault | undefined => {
    const nowMs = clock.now().getTime()
    if (nowMs < (notBefore.get(name) ?? 0)) events.impatient += 1
    if (chance() >= share) return undefined
    events.faults += 1
    const kind = FAULTS[Math.floor(chance() * FAULTS.length)]
    if (kind === 'asks to wait') notBefore.set(name, nowMs + RETRY_AFTER_MS)
    return kind
  }
  github.fault = fault
  slack.fault = fault
}

let written = 0
const words = () => {
  written += 1
  return `What was said as number ${written}.`
}

/** Adds and changes items at every host. */
function makeNews({ github, slack, chance, clock }: DayWorld): void {
  const now = clock.now()
  for (const [name, { issues }] of github.repositories) {
    if (chance() < NEWS_SHARE) issues.push(issueOf(name, issues.length + 1, now, { body: words() }))
    const changed = issues[Math.floor(chance() * issues.length)]
    if (changed && chance() < NEWS_SHARE)
      Object.assign(changed, issueOf(name, Number(changed.number), now, { body: words() }))
  }
  for (const { messages, replies } of slack.workspaces.values()) {
    const ts = (offset: number) => `${now.getTime() / MS_PER_SECOND + offset}.000100`
    const say = (offset: number, more: object = {}) => ({
      type: 'message',
      user: 'U1',
      ts: ts(offset),
      text: words(),
      ...more,
    })
    if (chance() < NEWS_SHARE) messages.push(say(0))
    const message = messages[Math.floor(chance() * messages.length)]
    if (!message || now.getTime() / MS_PER_SECOND - Number(message.ts) > DAY_SECONDS) continue
    if (chance() < NEWS_SHARE) Object.assign(message, { text: words(), edited: { user: 'U1', ts: ts(0) } })
    if (chance() < NEWS_SHARE) {
      replies.set(message.ts, [...(replies.get(message.ts) ?? []), say(1, { thread_ts: message.ts })])
    }
  }
}

/** Maximum age of changed items, slightly less than the period that polling rechecks. */
const DAY_SECONDS = 20 * 3_600

import { parseJson } from '../base/parse-json.ts'
import type { Planes } from '../store/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

/** Hands work over to other processes by notifications. If a notification is lost, polling finds the work. */
export interface Handoffs {
  /** Asks the process that works on the sandbox to process its inbox, at once or together with the next deliveries. */
  send(sandbox: SandboxRef, isGathered?: boolean): void
  /** Remembers that a caller of this process waits for work in the sandbox. */
  recordLocal(sandbox: SandboxRef): void
  /** Asks the lease holder to process the inbox, if a caller of this process waits for it. */
  leasedElsewhere(sandbox: SandboxRef): void
  /** Tells the process that handed jobs over that they have ended. */
  done(sandboxId: string, jobIds: readonly string[]): void
}

interface HandoffHandlers {
  completed(jobId: string): void
  /** Returns true if this process may hold the sandbox's lease. */
  mayHold(sandboxId: string): boolean
  /** Processes the sandbox's inbox. */
  receive(sandbox: SandboxRef, isGathered: boolean): void
}

/** Maximum number of jobs per notification. */
const JOBS_PER_MESSAGE = 30
/** Maximum number of sandboxes that are remembered. Work in others is found by polling. */
const REMEMBERED_MAX = 10_000

export function openHandoffs(
  { notifications, cluster, ownerId }: Pick<Planes, 'notifications' | 'cluster' | 'ownerId'>,
  { completed, mayHold, receive }: HandoffHandlers,
): Handoffs {
  const owned = new Set<string>()
  const received = new Set<string>()
  notifications.subscribe('work', (text) => {
    const handoff = parseHandoff(text)
    if (!handoff || !(handoff.to === null ? mayHold(handoff.sandboxId) : handoff.to === ownerId)) return
    remember(received, handoff.sandboxId)
    receive({ userId: handoff.userId, sandboxId: handoff.sandboxId }, handoff.isGathered)
  })
  notifications.subscribe('done', (text) => {
    for (const jobId of text.split(' ')) completed(jobId)
  })
  const publish = ({ userId, sandboxId }: SandboxRef, to: string | null, isGathered: boolean): void =>
    notifications.publish('work', JSON.stringify({ to, userId, sandboxId, isGathered } satisfies Handoff))
  return {
    send: (sandbox, isGathered = false) =>
      publish(sandbox, cluster.workerNodeOf(sandbox.sandboxId)?.id ?? null, isGathered),
    recordLocal: ({ sandboxId }) => {
      if (cluster.count() > 1) remember(owned, sandboxId)
    },
    leasedElsewhere: (sandbox) => {
      if (owned.delete(sandbox.sandboxId)) publish(sandbox, null, false)
    },
    done: (sandboxId, jobIds) => {
      if (!received.has(sandboxId)) return
      for (let at = 0; at < jobIds.length; at += JOBS_PER_MESSAGE) {
        notifications.publish('done', jobIds.slice(at, at + JOBS_PER_MESSAGE).join(' '))
      }
    },
  }
}

interface Handoff {
  /** Id of the receiving process. Null if the lease holder should receive it. */
  to: string | null
  userId: string
  sandboxId: string
  isGathered: boolean
}

function parseHandoff(text: string): Handoff | undefined {
  const { to, userId, sandboxId, isGathered } = (parseJson(text) ?? {}) as Partial<Record<keyof Handoff, unknown>>
  const isTo = to === null || typeof to === 'string'
  if (!isTo || typeof userId !== 'string' || typeof sandboxId !== 'string' || typeof isGathered !== 'boolean') return
  return { to, userId, sandboxId, isGathered }
}

function remember(names: Set<string>, name: string): void {
  names.delete(name)
  names.add(name)
  if (names.size > REMEMBERED_MAX) names.delete(names.values().next().value as string)
}

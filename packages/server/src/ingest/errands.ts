import type { Planes } from '../store/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

/** Work handoff between processes by notifications. Lost notifications are compensated by polling. */
export interface Errands {
  /** Asks the process that works on the sandbox to process its inbox, at once or with the next deliveries. */
  give(sandbox: SandboxRef, isGathered?: boolean): void
  /** Notes that a caller of this process waits for work in the sandbox. */
  own(sandbox: SandboxRef): void
  /** Asks the lease holder to process the inbox, if a caller of this process waits for it. */
  leasedElsewhere(sandbox: SandboxRef): void
  /** Publishes ended jobs to the process that handed them off. */
  done(sandboxId: string, jobIds: readonly string[]): void
}

interface ErrandsOf {
  completed(jobId: string): void
  /** Returns true if this process may hold the sandbox's lease. */
  mayHold(sandboxId: string): boolean
  /** Processes the sandbox's inbox. */
  take(sandbox: SandboxRef, isGathered: boolean): void
}

/** Maximum number of jobs per notification. */
const JOBS_TOLD = 30
/** Maximum number of remembered sandboxes. Others are found by polling. */
const REMEMBERED_MAX = 10_000

/** Opens the work handoff of this process. */
export function openErrands(
  { announcements, cluster, ownerId }: Pick<Planes, 'announcements' | 'cluster' | 'ownerId'>,
  { completed, mayHold, take }: ErrandsOf,
): Errands {
  const owned = new Set<string>()
  const given = new Set<string>()
  announcements.on('work', (text) => {
    const errand = toErrand(text)
    if (!errand || !(errand.to === null ? mayHold(errand.sandboxId) : errand.to === ownerId)) return
    note(given, errand.sandboxId)
    take({ userId: errand.userId, sandboxId: errand.sandboxId }, errand.isGathered)
  })
  announcements.on('done', (text) => {
    for (const jobId of text.split(' ')) completed(jobId)
  })
  const tell = ({ userId, sandboxId }: SandboxRef, to: string | null, isGathered: boolean): void =>
    announcements.tell('work', JSON.stringify({ to, userId, sandboxId, isGathered } satisfies Errand))
  return {
    give: (sandbox, isGathered = false) =>
      tell(sandbox, cluster.workPlaceOf(sandbox.sandboxId)?.id ?? null, isGathered),
    own: ({ sandboxId }) => {
      if (cluster.count() > 1) note(owned, sandboxId)
    },
    leasedElsewhere: (sandbox) => {
      if (owned.delete(sandbox.sandboxId)) tell(sandbox, null, false)
    },
    done: (sandboxId, jobIds) => {
      if (!given.has(sandboxId)) return
      for (let at = 0; at < jobIds.length; at += JOBS_TOLD) {
        announcements.tell('done', jobIds.slice(at, at + JOBS_TOLD).join(' '))
      }
    },
  }
}

interface Errand {
  /** Id of the receiving process. Null for the lease holder. */
  to: string | null
  userId: string
  sandboxId: string
  isGathered: boolean
}

function toErrand(text: string): Errand | undefined {
  const { to, userId, sandboxId, isGathered } = parse(text) as Partial<Record<keyof Errand, unknown>>
  const isTo = to === null || typeof to === 'string'
  if (!isTo || typeof userId !== 'string' || typeof sandboxId !== 'string' || typeof isGathered !== 'boolean') return
  return { to, userId, sandboxId, isGathered }
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function note(names: Set<string>, name: string): void {
  names.delete(name)
  names.add(name)
  if (names.size > REMEMBERED_MAX) names.delete(names.values().next().value as string)
}

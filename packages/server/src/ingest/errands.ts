import type { Planes } from '../store/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

/** Work on sandboxes that processes have each other do, by announcements: what is not heard is found by looking. */
export interface Errands {
  /** Has the process where the sandbox has its place do what waits, at once or with what comes next. */
  give(sandbox: SandboxRef, isGathered?: boolean): void
  /** Notes that somebody here has work in the sandbox. */
  own(sandbox: SandboxRef): void
  /** Has the process that holds the lease do what waits, where it is somebody's here. */
  leasedElsewhere(sandbox: SandboxRef): void
  /** Tells who had it done which jobs have ended. */
  done(sandboxId: string, jobIds: readonly string[]): void
}

interface ErrandsOf {
  completed(jobId: string): void
  /** Whether the lease of the sandbox may be held here. */
  mayHold(sandboxId: string): boolean
  /** Does what waits in the sandbox. */
  take(sandbox: SandboxRef, isGathered: boolean): void
}

/** Jobs of one announcement. */
const JOBS_TOLD = 30
/** Sandboxes of which it is remembered who has work in them; of those before it is found by looking. */
const REMEMBERED_MAX = 10_000

/** The errands of this process. */
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
  /** The process that is to do it; null: the one that holds the lease. */
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

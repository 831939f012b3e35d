import { type Limits, ROLES, type Role } from '@cairnstore/contract'

/** Statuses of a sandbox and of a source. */
export type SandboxStatus = 'active' | 'suspended' | 'archived'
export type SourceStatus = 'active' | 'paused' | 'disconnected'

/** Steps of several kinds with the same fields. */
type Each<D extends string, T> = D extends string ? { do: D } & T : never

/** One step. Objects are numbered in the order of their creation, across all accounts. */
export type Step =
  | { do: 'createSandbox'; by: number; name: string; owner: string; tier: 'free' | 'pro' }
  | Each<'getSandbox' | 'deleteSandbox' | 'suspend' | 'reactivate' | 'archive', { by: number; sandbox: number }>
  | { do: 'renameSandbox'; by: number; sandbox: number; name: string | null | undefined; metadata?: object }
  | { do: 'listSandboxes'; by: number; owner?: string; status?: SandboxStatus; limit: number }
  | {
      do: 'connect'
      by: number
      sandbox: number
      to: number
      role: 'viewer' | 'editor'
      project: number | null
      ends: 'never' | 'later' | 'past'
    }
  | Each<'revoke' | 'makeKey', { by: number; grant: number }>
  | { do: 'listConnections'; by: number; sandbox: number; revoked: boolean }
  /** Time passes until the grant has expired. */
  | { do: 'expire'; grant: number }
  /** A connection's key reads a sandbox. */
  | { do: 'useKey'; key: number; sandbox: number }
  | { do: 'addSource'; by: number; sandbox: number; name: string; provider: string }
  | { do: 'changeSource'; by: number; source: number; name: string | null; account: string | null | undefined }
  | Each<'getSource' | 'pause' | 'resume' | 'disconnect' | 'deleteSource', { by: number; source: number }>
  | { do: 'purge'; by: number; source: number; remove: boolean }
  | { do: 'listSources'; by: number; sandbox: number; provider?: string; status?: SourceStatus; limit: number }
  | { do: 'addProject'; by: number; sandbox: number; name: string; sources: number[] }
  | { do: 'changeProject'; by: number; project: number; name: string | null; description: string | null | undefined }
  | Each<'getProject' | 'archiveProject' | 'deleteProject', { by: number; project: number }>
  | { do: 'listProjects'; by: number; sandbox: number; status?: 'active' | 'archived'; limit: number }
  | Each<'link' | 'unlink', { by: number; project: number; source: number }>

/** The step type of one of these kinds. */
export type StepOf<D extends Step['do']> = Extract<Step, { do: D }>

/** Expected reply: a status and, for a success, its fields with the model's numbers. */
export interface Expected {
  /** 0 if any status is allowed. */
  status: number
  shows?: Record<string, unknown>
  /** Numbers of the listed objects across all pages, newest first. */
  lists?: number[]
}

export interface Sandbox {
  holder: number
  owner: string
  name: string
  tier: 'free' | 'pro'
  status: SandboxStatus
  metadata: object
}

export interface Source {
  sandbox: number
  name: string
  provider: string
  account: string | null
  status: SourceStatus
}

export interface Project {
  sandbox: number
  name: string
  description: string | null
  status: 'active' | 'archived'
  sources: Set<number>
}

export interface Grant {
  sandbox: number
  to: number
  role: 'viewer' | 'editor'
  project: number | null
  status: 'active' | 'revoked' | 'expired'
}

/** Permission of a caller in a sandbox: the role, and the project that limits it. */
export interface Standing {
  role: Role
  project: number | null
}

/** Quotas of each tier. */
export type WorldLimits = Record<'free' | 'pro', Pick<Limits, 'max_data_sources' | 'max_projects'>>

/** State of the model, and the access rules. */
export class World {
  readonly limits: WorldLimits
  readonly sandboxes = new Map<number, Sandbox>()
  readonly sources = new Map<number, Source>()
  readonly projects = new Map<number, Project>()
  readonly grants = new Map<number, Grant>()
  /** Grant of each key ever created. */
  readonly keys: number[] = []
  /** Sandbox of each object ever created. A step about a deleted object still addresses its sandbox. */
  readonly homes = { source: [] as number[], project: [] as number[], grant: [] as number[] }
  /** Number of objects ever created of each kind; the number of the next one. */
  readonly made = { sandbox: 0, source: 0, project: 0, grant: 0, key: 0 }

  constructor(limits: WorldLimits) {
    this.limits = limits
  }

  /**
   * Returns the caller's permission. Of several grants the highest role counts; among equal roles, an unlimited grant.
   */
  standingOf(by: number, sandbox: number): Standing | undefined {
    const found = this.sandboxes.get(sandbox)
    if (found === undefined) return undefined
    if (found.holder === by) return { role: 'owner', project: null }
    const live = [...this.grants.values()].filter(
      (each) => each.to === by && each.sandbox === sandbox && each.status === 'active',
    )
    const best = ROLES.findLast((role) => live.some((each) => each.role === role))
    const ofBest = live.filter(({ role }) => role === best)
    return best && { role: best, project: ofBest.some(({ project }) => project === null) ? null : ofBest[0]!.project }
  }

  /** Returns the expected rejection if the caller has no permission in a sandbox or a role that is too low. */
  refusal(by: number, sandbox: number, needed: Role): Expected | undefined {
    const standing = this.standingOf(by, sandbox)
    if (standing === undefined) return { status: 404 }
    return ROLES.indexOf(standing.role) < ROLES.indexOf(needed) ? { status: 403 } : undefined
  }

  /** Returns the project that limits the caller's grant; null if none does. */
  limitOf(by: number, sandbox: number): number | null {
    return this.standingOf(by, sandbox)?.project ?? null
  }

  isActive(sandbox: number): boolean {
    return this.sandboxes.get(sandbox)?.status === 'active'
  }
}

/** Returns the numbers of the objects that pass the filter, newest first. */
export function listed<T>(all: Map<number, T>, passes: (each: T, at: number) => boolean): number[] {
  return [...all]
    .filter(([at, each]) => passes(each, at))
    .map(([at]) => at)
    .reverse()
}

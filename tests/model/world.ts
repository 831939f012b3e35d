import { type Limits, ROLES, type Role } from '@cairnstore/contract'

/** What a sandbox can be in, and a source. */
export type SandboxStatus = 'active' | 'suspended' | 'archived'
export type SourceStatus = 'active' | 'paused' | 'disconnected'

/** A step of each of these kinds, which all ask for the same. */
type Each<D extends string, T> = D extends string ? { do: D } & T : never

/** What one step asks for. Things are named by the order in which they were made, whoever made them. */
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
  /** Time passes until the grant has ended. */
  | { do: 'expire'; grant: number }
  /** A connection's key asks for a sandbox. */
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

/** A step of one of these kinds. */
export type StepOf<D extends Step['do']> = Extract<Step, { do: D }>

/** What the model expects: a status, and for a success what the reply shows, by the model's own numbers. */
export interface Expected {
  /** 0 when any will do. */
  status: number
  shows?: Record<string, unknown>
  /** The numbers of the listed things, all pages together, newest first. */
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

/** Who someone is in a sandbox: the role, and the one project that it is limited to. */
export interface Standing {
  role: Role
  project: number | null
}

/** What each tier allows. */
export type WorldLimits = Record<'free' | 'pro', Pick<Limits, 'max_data_sources' | 'max_projects'>>

/** Everything that there is, as a few maps, and who may reach it. */
export class World {
  readonly limits: WorldLimits
  readonly sandboxes = new Map<number, Sandbox>()
  readonly sources = new Map<number, Source>()
  readonly projects = new Map<number, Project>()
  readonly grants = new Map<number, Grant>()
  /** The grant of each key that was ever made. */
  readonly keys: number[] = []
  /** The sandbox of each thing that was ever made: whoever asks for one that is gone asks in there. */
  readonly homes = { source: [] as number[], project: [] as number[], grant: [] as number[] }
  /** How many of each kind were ever made: the number of the next. */
  readonly made = { sandbox: 0, source: 0, project: 0, grant: 0, key: 0 }

  constructor(limits: WorldLimits) {
    this.limits = limits
  }

  /** Of several grants the highest role counts, and among equals one that is not limited. */
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

  /** The refusal of someone who stands in a sandbox nowhere, or lower than is needed. */
  refusal(by: number, sandbox: number, needed: Role): Expected | undefined {
    const standing = this.standingOf(by, sandbox)
    if (standing === undefined) return { status: 404 }
    return ROLES.indexOf(standing.role) < ROLES.indexOf(needed) ? { status: 403 } : undefined
  }

  /** The project that someone's grant is limited to; null for none. */
  limitOf(by: number, sandbox: number): number | null {
    return this.standingOf(by, sandbox)?.project ?? null
  }

  isActive(sandbox: number): boolean {
    return this.sandboxes.get(sandbox)?.status === 'active'
  }
}

/** The numbers of those that pass, newest first. */
export function listed<T>(all: Map<number, T>, passes: (each: T, at: number) => boolean): number[] {
  return [...all]
    .filter(([at, each]) => passes(each, at))
    .map(([at]) => at)
    .reverse()
}

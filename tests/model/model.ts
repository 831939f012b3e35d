import { type Limits, ROLES, type Role } from '@cairn/contract'

/** What one step asks for. Things are named by the order in which they were made, whoever made them. */
export type Step =
  | { do: 'createSandbox'; by: number; name: string; owner: string; tier: 'free' | 'pro' }
  | { do: 'getSandbox' | 'deleteSandbox'; by: number; sandbox: number }
  | { do: 'renameSandbox'; by: number; sandbox: number; name: string | null | undefined; metadata?: object }
  | { do: 'listSandboxes'; by: number; owner?: string; limit: number }
  | { do: 'grant'; sandbox: number; to: number; role: 'viewer' | 'editor' }
  | { do: 'revoke'; grant: number }
  | { do: 'addSource'; by: number; sandbox: number; name: string; provider: string }
  | { do: 'changeSource'; by: number; source: number; name: string | null; account: string | null | undefined }
  | { do: 'listSources'; by: number; sandbox: number; provider?: string; limit: number }
  | { do: 'addProject'; by: number; sandbox: number; name: string; sources: number[] }
  | { do: 'changeProject'; by: number; project: number; name: string | null; description: string | null | undefined }
  | { do: 'getProject'; by: number; project: number }
  | { do: 'archiveProject'; by: number; project: number }
  | { do: 'deleteProject'; by: number; project: number }
  | { do: 'listProjects'; by: number; sandbox: number; status?: 'active' | 'archived'; limit: number }
  | { do: 'link' | 'unlink'; by: number; project: number; source: number }

/** What the model expects: a status, and for a success what the reply shows, by the model's own numbers. */
export interface Expected {
  status: number
  shows?: Record<string, unknown>
  /** The numbers of the listed things, all pages together, newest first. */
  lists?: number[]
}

interface Sandbox {
  holder: number
  owner: string
  name: string
  tier: 'free' | 'pro'
  metadata: object
}

interface Inside {
  sandbox: number
  name: string
}

type Source = Inside & { provider: string; account: string | null }
type Project = Inside & { description: string | null; status: 'active' | 'archived'; sources: Set<number> }
type Grant = { sandbox: number; to: number; role: 'viewer' | 'editor' }

/** The storage API as a few maps: what it should answer, in so few lines that they can be read and believed. */
export class Model {
  readonly #limits: Record<'free' | 'pro', Pick<Limits, 'max_data_sources' | 'max_projects'>>
  readonly #sandboxes = new Map<number, Sandbox>()
  readonly #sources = new Map<number, Source>()
  readonly #projects = new Map<number, Project>()
  readonly #grants = new Map<number, Grant>()
  /** How many of each kind were ever made: the number of the next. */
  readonly made = { sandbox: 0, source: 0, project: 0, grant: 0 }

  constructor(limits: Model['limits']) {
    this.#limits = limits
  }

  /** What each tier allows. */
  get limits() {
    return this.#limits
  }

  /** Takes a step and says what it should be answered. */
  take(step: Step): Expected {
    switch (step.do) {
      case 'createSandbox':
        return this.#createSandbox(step)
      case 'listSandboxes':
        return { status: 200, lists: this.#listed(this.#sandboxes, (each, at) => this.#isListed(each, at, step)) }
      case 'grant':
        return this.#grant(step)
      case 'revoke':
        this.#grants.delete(step.grant)
        return { status: 200 }
      case 'getSandbox':
      case 'deleteSandbox':
      case 'renameSandbox':
        return this.#onSandbox(step)
      case 'addSource':
      case 'listSources':
      case 'addProject':
      case 'listProjects':
        return this.#inSandbox(step)
      case 'changeSource':
        return this.#changeSource(step)
      default:
        return this.#onProject(step)
    }
  }

  #roleOf(by: number, sandbox: number): Role | undefined {
    const found = this.#sandboxes.get(sandbox)
    if (found?.holder === by) return 'owner'
    const roles = [...this.#grants.values()].filter((each) => each.to === by && each.sandbox === sandbox)
    return ROLES.findLast((role) => roles.some((each) => each.role === role))
  }

  /** The refusal of someone whose role in a sandbox is none, or lower than the needed one. */
  #refusal(by: number, sandbox: number, needed: Role): Expected | undefined {
    const role = this.#sandboxes.has(sandbox) ? this.#roleOf(by, sandbox) : undefined
    if (role === undefined) return { status: 404 }
    return ROLES.indexOf(role) < ROLES.indexOf(needed) ? { status: 403 } : undefined
  }

  #listed<T>(all: Map<number, T>, isListed: (each: T, at: number) => boolean): number[] {
    return [...all]
      .filter(([at, each]) => isListed(each, at))
      .map(([at]) => at)
      .reverse()
  }

  #isListed({ owner }: Sandbox, at: number, step: { by: number; owner?: string }): boolean {
    return this.#roleOf(step.by, at) !== undefined && (step.owner === undefined || step.owner === owner)
  }

  #isTaken(holder: number, owner: string, name: string, but?: number): boolean {
    const same = (each: Sandbox) => each.holder === holder && each.owner === owner && each.name === name
    return [...this.#sandboxes].some(([at, each]) => at !== but && same(each))
  }

  #createSandbox({ by, name, owner, tier }: Extract<Step, { do: 'createSandbox' }>): Expected {
    if (this.#isTaken(by, owner, name)) return { status: 409 }
    this.#sandboxes.set(this.made.sandbox++, { holder: by, owner, name, tier, metadata: {} })
    return { status: 201, shows: { name, owner_id: owner, tier, metadata: {}, access: 'owner', is_external: false } }
  }

  #onSandbox(step: Extract<Step, { do: 'getSandbox' | 'deleteSandbox' | 'renameSandbox' }>): Expected {
    const { by, sandbox: at } = step
    const refusal = this.#refusal(by, at, step.do === 'getSandbox' ? 'viewer' : 'owner')
    if (refusal) return refusal
    const found = this.#sandboxes.get(at)!
    if (step.do === 'deleteSandbox') {
      this.#sandboxes.delete(at)
      for (const all of [this.#sources, this.#projects, this.#grants] as Map<number, Inside | Grant>[]) {
        for (const [inside, { sandbox }] of all) if (sandbox === at) all.delete(inside)
      }
      return { status: 200 }
    }
    if (step.do === 'renameSandbox') {
      const name = step.name ?? found.name
      if (this.#isTaken(found.holder, found.owner, name, at)) return { status: 409 }
      Object.assign(found, { name, metadata: step.metadata ?? found.metadata })
    }
    const role = this.#roleOf(by, at)
    const { name, owner, metadata } = found
    return { status: 200, shows: { name, owner_id: owner, metadata, access: role, is_external: role !== 'owner' } }
  }

  #grant({ sandbox, to, role }: Extract<Step, { do: 'grant' }>): Expected {
    const found = this.#sandboxes.get(sandbox)
    if (!found || found.holder === to) return { status: 0 }
    this.#grants.set(this.made.grant++, { sandbox, to, role })
    return { status: 201 }
  }

  #inSandbox(step: Extract<Step, { do: 'addSource' | 'listSources' | 'addProject' | 'listProjects' }>): Expected {
    const { by, sandbox } = step
    const isList = step.do === 'listSources' || step.do === 'listProjects'
    const refusal = this.#refusal(by, sandbox, isList ? 'viewer' : 'editor')
    if (refusal) return refusal
    const { max_data_sources, max_projects } = this.#limits[this.#sandboxes.get(sandbox)!.tier]
    const isHere = (each: Inside) => each.sandbox === sandbox
    if (step.do === 'listSources') {
      const fits = (each: Source) => isHere(each) && (step.provider === undefined || each.provider === step.provider)
      return { status: 200, lists: this.#listed(this.#sources, fits) }
    }
    if (step.do === 'listProjects') {
      const fits = (each: Project) => isHere(each) && (step.status === undefined || each.status === step.status)
      return { status: 200, lists: this.#listed(this.#projects, fits) }
    }
    if (step.do === 'addSource') {
      if ([...this.#sources.values()].filter(isHere).length >= (max_data_sources ?? Infinity)) return { status: 403 }
      const { name, provider } = step
      this.#sources.set(this.made.source++, { sandbox, name, provider, account: null })
      return { status: 201, shows: { name, provider, status: 'active', external_account_id: null } }
    }
    if (!step.sources.every((at) => this.#sources.get(at)?.sandbox === sandbox)) return { status: 422 }
    if ([...this.#projects.values()].filter(isHere).length >= (max_projects ?? Infinity)) return { status: 403 }
    const project = { sandbox, name: step.name, description: null, status: 'active', sources: new Set(step.sources) }
    this.#projects.set(this.made.project++, project as Project)
    return { status: 201, shows: this.#shownProject(project as Project) }
  }

  #changeSource({ by, source, name, account }: Extract<Step, { do: 'changeSource' }>): Expected {
    const found = this.#sources.get(source)
    const refusal = found ? this.#refusal(by, found.sandbox, 'editor') : { status: 404 }
    if (refusal || !found) return refusal!
    Object.assign(found, { name: name ?? found.name, account: account === undefined ? found.account : account })
    return { status: 200, shows: { name: found.name, provider: found.provider, external_account_id: found.account } }
  }

  #onProject(step: Extract<Step, { project: number }>): Expected {
    const found = this.#projects.get(step.project)
    const refusal = found
      ? this.#refusal(step.by, found.sandbox, step.do === 'getProject' ? 'viewer' : 'editor')
      : { status: 404 }
    if (refusal || !found) return refusal!
    if (step.do === 'getProject') return { status: 200, shows: this.#shownProject(found) }
    if (step.do === 'deleteProject') {
      this.#projects.delete(step.project)
      return { status: 200 }
    }
    if (step.do === 'archiveProject') {
      found.status = 'archived'
      return { status: 200 }
    }
    if (found.status === 'archived') return { status: 409 }
    if (step.do === 'changeProject') {
      found.name = step.name ?? found.name
      if (step.description !== undefined) found.description = step.description
      return { status: 200, shows: this.#shownProject(found) }
    }
    if (this.#sources.get(step.source)?.sandbox !== found.sandbox) return { status: 404 }
    if (step.do === 'link') found.sources.add(step.source)
    else found.sources.delete(step.source)
    return { status: 200 }
  }

  #shownProject({ name, description, status, sources }: Project) {
    return { name, description, status, sources: [...sources].sort((one, other) => one - other) }
  }
}

import { type Expected, listed, type Project, type StepOf, type World } from './world.ts'

type OnProject = StepOf<
  | 'addProject'
  | 'listProjects'
  | 'getProject'
  | 'changeProject'
  | 'archiveProject'
  | 'deleteProject'
  | 'link'
  | 'unlink'
>

/** Runs a step about projects and returns the expected reply. */
export function onProjects(world: World, step: OnProject): Expected {
  if (step.do === 'addProject') return add(world, step)
  if (step.do === 'listProjects') return list(world, step)
  const found = world.projects.get(step.project)
  const home = world.homes.project[step.project] ?? -1
  const refusal = world.refusal(step.by, home, step.do === 'getProject' ? 'viewer' : 'editor')
  if (refusal) return refusal
  if (!found) return { status: 404 }
  const limit = world.limitOf(step.by, home)
  if (limit !== null && limit !== step.project) return { status: 404 }
  if (step.do === 'getProject') return { status: 200, shows: shown(found) }
  if ((step.do === 'archiveProject' || step.do === 'deleteProject') && limit !== null) return { status: 403 }
  if ((step.do === 'link' || step.do === 'unlink') && !isLinkable(world, step, found, limit)) return { status: 404 }
  if (!world.isActive(home)) return { status: 409 }
  if (step.do === 'deleteProject') return remove(world, step.project)
  if (step.do === 'archiveProject') found.status = 'archived'
  else if (found.status === 'archived') return { status: 409 }
  if (step.do === 'changeProject') return change(step, found)
  return step.do === 'archiveProject' ? { status: 200 } : relink(world, step, found)
}

function shown({ name, description, status, sources }: Project) {
  return { name, description, status, sources: [...sources].sort((one, other) => one - other) }
}

function add(world: World, { by, sandbox, name, sources }: StepOf<'addProject'>): Expected {
  const refusal = world.refusal(by, sandbox, 'editor')
  if (refusal) return refusal
  if (world.limitOf(by, sandbox) !== null) return { status: 403 }
  if (!world.isActive(sandbox)) return { status: 409 }
  if (!sources.every((at) => isLiveIn(world, sandbox, at))) return { status: 422 }
  const { max_projects: limit } = world.limits[world.sandboxes.get(sandbox)!.tier]
  const here = [...world.projects.values()].filter((each) => each.sandbox === sandbox)
  if (here.length >= (limit ?? Infinity)) return { status: 403 }
  const project: Project = { sandbox, name, description: null, status: 'active', sources: new Set(sources) }
  world.homes.project[world.made.project] = sandbox
  world.projects.set(world.made.project++, project)
  return { status: 201, shows: shown(project) }
}

function isLiveIn(world: World, sandbox: number, source: number): boolean {
  const found = world.sources.get(source)
  return found?.sandbox === sandbox && found.status !== 'disconnected'
}

function list(world: World, { by, sandbox, status }: StepOf<'listProjects'>): Expected {
  const refusal = world.refusal(by, sandbox, 'viewer')
  if (refusal) return refusal
  const limit = world.limitOf(by, sandbox)
  const passes = (each: Project, at: number) =>
    each.sandbox === sandbox && (limit === null || limit === at) && (status === undefined || each.status === status)
  return { status: 200, lists: listed(world.projects, passes) }
}

/** Deletes a project together with the grants limited to it. */
function remove(world: World, at: number): Expected {
  world.projects.delete(at)
  for (const [grant, { project }] of world.grants) if (project === at) world.grants.delete(grant)
  return { status: 200 }
}

function change({ name, description }: StepOf<'changeProject'>, found: Project): Expected {
  found.name = name ?? found.name
  if (description !== undefined) found.description = description
  return { status: 200, shows: shown(found) }
}

/**
 * Returns true if the source exists in the project's sandbox. A caller limited to one project must have the source
 * there.
 */
function isLinkable(world: World, step: StepOf<'link' | 'unlink'>, found: Project, limit: number | null): boolean {
  const isHere = world.sources.get(step.source)?.sandbox === found.sandbox
  return isHere && (limit === null || found.sources.has(step.source))
}

function relink(world: World, step: StepOf<'link' | 'unlink'>, found: Project): Expected {
  if (step.do === 'unlink') {
    found.sources.delete(step.source)
    return { status: 200 }
  }
  if (world.sources.get(step.source)?.status === 'disconnected') return { status: 409 }
  found.sources.add(step.source)
  return { status: 200 }
}

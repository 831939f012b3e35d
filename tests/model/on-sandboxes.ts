import { type Expected, listed, type Sandbox, type SandboxStatus, type StepOf, type World } from './world.ts'

type OnSandbox = StepOf<
  | 'createSandbox'
  | 'getSandbox'
  | 'deleteSandbox'
  | 'suspend'
  | 'reactivate'
  | 'archive'
  | 'renameSandbox'
  | 'listSandboxes'
>

const NEXT = { suspend: 'suspended', reactivate: 'active', archive: 'archived' } as const

/** Runs a step about sandboxes and returns the expected reply. */
export function onSandboxes(world: World, step: OnSandbox): Expected {
  if (step.do === 'createSandbox') return create(world, step)
  if (step.do === 'listSandboxes') {
    return { status: 200, lists: listed(world.sandboxes, (each, at) => isListed(world, each, at, step)) }
  }
  const { by, sandbox: at } = step
  const refusal = world.refusal(by, at, step.do === 'getSandbox' ? 'viewer' : 'owner')
  if (refusal) return refusal
  const found = world.sandboxes.get(at)!
  switch (step.do) {
    case 'getSandbox':
      return { status: 200, shows: shown(world, by, at) }
    case 'deleteSandbox':
      return remove(world, at)
    case 'renameSandbox':
      return rename(world, step, found)
    default:
      return move(found, NEXT[step.do])
  }
}

function create(world: World, { by, name, owner, tier }: StepOf<'createSandbox'>): Expected {
  if (isTaken(world, by, owner, name)) return { status: 409 }
  const at = world.made.sandbox++
  world.sandboxes.set(at, { holder: by, owner, name, tier, status: 'active', metadata: {} })
  return { status: 201, shows: { ...shown(world, by, at), tier } }
}

function isTaken(world: World, holder: number, owner: string, name: string, but?: number): boolean {
  const same = (each: Sandbox) => each.holder === holder && each.owner === owner && each.name === name
  return [...world.sandboxes].some(([at, each]) => at !== but && same(each))
}

function isListed(world: World, each: Sandbox, at: number, { by, owner, status }: StepOf<'listSandboxes'>): boolean {
  if (world.standingOf(by, at) === undefined || (owner !== undefined && owner !== each.owner)) return false
  return status === undefined ? each.status !== 'archived' : each.status === status
}

function shown(world: World, by: number, at: number) {
  const { name, owner, metadata, status } = world.sandboxes.get(at)!
  const access = world.standingOf(by, at)?.role
  return { name, owner_id: owner, metadata, status, access, is_external: access !== 'owner' }
}

function remove(world: World, at: number): Expected {
  world.sandboxes.delete(at)
  for (const all of [world.sources, world.projects, world.grants] as Map<number, { sandbox: number }>[]) {
    for (const [inside, { sandbox }] of all) if (sandbox === at) all.delete(inside)
  }
  return { status: 200 }
}

function rename(world: World, step: StepOf<'renameSandbox'>, found: Sandbox): Expected {
  if (typeof step.name === 'string' || step.metadata !== undefined) {
    const name = step.name ?? found.name
    if (found.status !== 'active') return { status: 409 }
    if (isTaken(world, found.holder, found.owner, name, step.sandbox)) return { status: 409 }
    Object.assign(found, { name, metadata: step.metadata ?? found.metadata })
  }
  return { status: 200, shows: shown(world, step.by, step.sandbox) }
}

function move(found: Sandbox, next: SandboxStatus): Expected {
  if (found.status === 'archived' && next === 'suspended') return { status: 409 }
  found.status = next
  return { status: 200 }
}

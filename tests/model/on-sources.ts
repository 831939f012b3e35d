import { type Expected, listed, type Source, type StepOf, type World } from './world.ts'

type OnSource = StepOf<
  | 'addSource'
  | 'listSources'
  | 'changeSource'
  | 'getSource'
  | 'pause'
  | 'resume'
  | 'disconnect'
  | 'deleteSource'
  | 'purge'
>

const NEXT = { pause: 'paused', resume: 'active', disconnect: 'disconnected' } as const

/** Runs a step about sources and returns the expected reply. */
export function onSources(world: World, step: OnSource): Expected {
  if (step.do === 'addSource') return add(world, step)
  if (step.do === 'listSources') return list(world, step)
  const found = world.sources.get(step.source)
  const home = world.homes.source[step.source] ?? -1
  const refusal = world.refusal(step.by, home, step.do === 'getSource' ? 'viewer' : 'editor')
  if (refusal) return refusal
  if (!found) return { status: 404 }
  if (!isWithin(world, step.by, step.source, found)) return { status: 404 }
  if (step.do !== 'getSource' && !world.isActive(home)) return { status: 409 }
  switch (step.do) {
    case 'getSource':
      return { status: 200, shows: shown(found) }
    case 'changeSource': {
      if (found.status === 'disconnected') return { status: 409 }
      const { name, account } = step
      Object.assign(found, { name: name ?? found.name, account: account === undefined ? found.account : account })
      return { status: 200, shows: shown(found) }
    }
    case 'deleteSource':
    case 'purge':
      return clear(world, step, found)
    default:
      // Disconnected is a final status.
      if (found.status === 'disconnected' && step.do !== 'disconnect') return { status: 409 }
      found.status = NEXT[step.do]
      return { status: 200 }
  }
}

/** Returns true if a caller can access a source. A grant limited to a project covers only sources linked to it. */
function isWithin(world: World, by: number, at: number, { sandbox }: Source): boolean {
  const limit = world.limitOf(by, sandbox)
  return limit === null || (world.projects.get(limit)?.sources.has(at) ?? false)
}

function shown({ name, provider, account, status }: Source) {
  return { name, provider, external_account_id: account, status }
}

function add(world: World, { by, sandbox, name, provider }: StepOf<'addSource'>): Expected {
  const refusal = world.refusal(by, sandbox, 'editor')
  if (refusal) return refusal
  if (!world.isActive(sandbox)) return { status: 409 }
  const { max_data_sources: limit } = world.limits[world.sandboxes.get(sandbox)!.tier]
  const live = [...world.sources.values()].filter((each) => each.sandbox === sandbox && each.status !== 'disconnected')
  if (live.length >= (limit ?? Infinity)) return { status: 403 }
  const project = world.projects.get(world.limitOf(by, sandbox) ?? -1)
  if (project?.status === 'archived') return { status: 409 }
  const source: Source = { sandbox, name, provider, account: null, status: 'active' }
  const at = world.made.source++
  world.sources.set(at, source)
  world.homes.source[at] = sandbox
  project?.sources.add(at)
  return { status: 201, shows: shown(source) }
}

function list(world: World, { by, sandbox, provider, status }: StepOf<'listSources'>): Expected {
  const refusal = world.refusal(by, sandbox, 'viewer')
  if (refusal) return refusal
  const passes = (each: Source, at: number) =>
    each.sandbox === sandbox &&
    isWithin(world, by, at, each) &&
    (provider === undefined || each.provider === provider) &&
    (status === undefined || each.status === status)
  return { status: 200, lists: listed(world.sources, passes) }
}

function clear(world: World, step: StepOf<'deleteSource' | 'purge'>, found: Source): Expected {
  const limit = world.limitOf(step.by, found.sandbox)
  const elsewhere = [...world.projects].some(([at, { sources }]) => at !== limit && sources.has(step.source))
  if (limit !== null && elsewhere) return { status: 403 }
  if (step.do === 'deleteSource' || step.remove) {
    world.sources.delete(step.source)
    for (const { sources } of world.projects.values()) sources.delete(step.source)
  }
  return { status: 200, ...(step.do === 'purge' && { shows: { delete_source_applied: step.remove } }) }
}

import { type Expected, listed, type StepOf, type World } from './world.ts'

type OnGrant = StepOf<'connect' | 'revoke' | 'makeKey' | 'listConnections' | 'expire' | 'useKey'>

/** Runs a step about connections and their keys, and returns the expected reply. */
export function onGrants(world: World, step: OnGrant): Expected {
  switch (step.do) {
    case 'connect':
      return connect(world, step)
    case 'listConnections': {
      const refusal = world.refusal(step.by, step.sandbox, 'owner')
      if (refusal) return refusal
      const passes = ({ sandbox, status }: { sandbox: number; status: string }) =>
        sandbox === step.sandbox && (step.revoked || status !== 'revoked')
      return { status: 200, lists: listed(world.grants, passes) }
    }
    case 'expire': {
      const grant = world.grants.get(step.grant)
      if (grant?.status === 'active') grant.status = 'expired'
      return { status: 0 }
    }
    case 'useKey':
      return useKey(world, step)
    default:
      return onOne(world, step)
  }
}

function connect(world: World, { by, sandbox, to, role, project, ends }: StepOf<'connect'>): Expected {
  const refusal = world.refusal(by, sandbox, 'owner')
  if (refusal) return refusal
  if (!world.isActive(sandbox)) return { status: 409 }
  if (ends === 'past') return { status: 422 }
  if (project !== null) {
    const found = world.projects.get(project)
    if (found?.sandbox !== sandbox) return { status: 404 }
    if (found.status === 'archived') return { status: 409 }
  }
  if (to === by) return { status: 422 }
  world.homes.grant[world.made.grant] = sandbox
  world.grants.set(world.made.grant++, { sandbox, to, role, project, status: 'active' })
  return { status: 201, shows: { role, status: 'active', revoked_at: null } }
}

function onOne(world: World, { do: what, by, grant }: StepOf<'revoke' | 'makeKey'>): Expected {
  const found = world.grants.get(grant)
  const refusal = world.refusal(by, world.homes.grant[grant] ?? -1, 'owner')
  if (refusal) return refusal
  if (!found) return { status: 404 }
  if (what === 'revoke') {
    found.status = 'revoked'
    return { status: 200 }
  }
  if (found.status !== 'active') return { status: 409 }
  world.keys[world.made.key++] = grant
  return { status: 201 }
}

/** Uses a key. It gives access only to its connection's sandbox while the connection is active. */
function useKey(world: World, { key, sandbox }: StepOf<'useKey'>): Expected {
  const grant = world.grants.get(world.keys[key] ?? -1)
  if (grant?.status !== 'active') return { status: 401 }
  if (grant.sandbox !== sandbox) return { status: 404 }
  return { status: 200, shows: { access: grant.role, is_external: true } }
}

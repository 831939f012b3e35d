import fc from 'fast-check'
import type { Step, World } from './world.ts'

/** Number of accounts that run steps. */
export const ACTORS = 3
/** Steps use the latest few objects of a kind, so that they interact, and sometimes one that never existed. */
const RECENT = 3
const NEVER = 12

/** The first account owns most objects, so that the others need grants. */
const by = fc.constantFrom(0, 0, 0, 0, 1, 2)
const guest = fc.constantFrom(0, 1, 1, 2, 2)
const thing = fc.nat(NEVER)
/** Project of a grant; most grants cover the whole sandbox or an existing project. */
const project = fc.option(thing, { freq: 2 })
const name = fc.constantFrom('a', 'A', 'b', 'é', 'e\u0301', ' a', '😀')
const owner = fc.constantFrom('one', 'two')
const provider = fc.constantFrom('slack', 'github')
const limit = fc.constantFrom(1, 2, 3, 1000)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const role = fc.constantFrom('viewer' as const, 'editor' as const)
const ends = fc.constantFrom('never' as const, 'never' as const, 'later' as const, 'past' as const)
const sandboxStatus = fc.constantFrom('active' as const, 'suspended' as const, 'archived' as const)
const sourceStatus = fc.constantFrom('active' as const, 'paused' as const, 'disconnected' as const)
const metadata = maybe(fc.dictionary(fc.constantFrom('k', 'l'), fc.jsonValue({ maxDepth: 1, noUnicodeString: true })))
const step = <D extends Step['do'], T>(what: D, rest: { [K in keyof T]: fc.Arbitrary<T[K]> }, weight = 1) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(what), ...rest }) as fc.Arbitrary<unknown> as fc.Arbitrary<Step>,
})

/** Generates a step of any kind about any object. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  step('createSandbox', { by, name, owner, tier: fc.constantFrom('free', 'pro') }, 3),
  step('getSandbox', { by, sandbox: thing }),
  step('deleteSandbox', { by, sandbox: thing }),
  step('suspend', { by, sandbox: thing }),
  step('archive', { by, sandbox: thing }),
  // Objects that are not active allow hardly any steps, so most are reactivated.
  step('reactivate', { by, sandbox: thing }, 6),
  step('renameSandbox', { by, sandbox: thing, name: maybe(fc.option(name)), metadata }),
  step('listSandboxes', { by, owner: maybe(owner), status: maybe(sandboxStatus), limit }, 2),
  step('connect', { by, sandbox: thing, to: guest, role, project, ends }, 8),
  step('revoke', { by, grant: thing }),
  step('expire', { grant: thing }),
  step('makeKey', { by, grant: thing }, 2),
  step('useKey', { key: thing, sandbox: thing }, 3),
  step('listConnections', { by, sandbox: thing, revoked: fc.boolean() }),
  step('addSource', { by, sandbox: thing, name, provider }, 4),
  step('changeSource', { by, source: thing, name: fc.option(name), account: maybe(fc.option(name)) }),
  step('getSource', { by, source: thing }),
  step('pause', { by, source: thing }),
  step('resume', { by, source: thing }),
  step('disconnect', { by, source: thing }),
  step('deleteSource', { by, source: thing }),
  step('purge', { by, source: thing, remove: fc.boolean() }),
  step('listSources', { by, sandbox: thing, provider: maybe(provider), status: maybe(sourceStatus), limit }, 2),
  step('addProject', { by, sandbox: thing, name, sources: fc.array(thing, { maxLength: 2 }) }, 4),
  step('changeProject', { by, project: thing, name: fc.option(name), description: maybe(fc.option(name)) }),
  step('getProject', { by, project: thing }),
  step('archiveProject', { by, project: thing }),
  step('deleteProject', { by, project: thing }),
  step('listProjects', { by, sandbox: thing, status: maybe(fc.constantFrom('active', 'archived')), limit }),
  step('link', { by, project: thing, source: thing }, 3),
  step('unlink', { by, project: thing, source: thing }),
)

const KINDS = {
  sandbox: 'sandbox',
  source: 'source',
  project: 'project',
  grant: 'grant',
  key: 'key',
  sources: 'source',
} as const

/** Replaces the random numbers in a step with the numbers of recent objects. */
export function aboutRecent(step: Step, made: World['made']): Step {
  const numberOf = (kind: keyof World['made'], any: number) =>
    any === NEVER || made[kind] === 0 ? made[kind] : made[kind] - 1 - (any % Math.min(RECENT, made[kind]))
  const about = Object.entries(KINDS).flatMap(([field, kind]) => {
    const any = (step as unknown as Record<string, number | number[] | null | undefined>)[field]
    if (any === undefined || any === null) return []
    return [[field, typeof any === 'number' ? numberOf(kind, any) : any.map((each) => numberOf(kind, each))]]
  })
  return { ...step, ...Object.fromEntries(about) }
}

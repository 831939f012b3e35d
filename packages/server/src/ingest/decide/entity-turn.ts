import { decodeEntity, type Entity } from '@cairnstore/engine/resolve'
import { Fault } from '../../base/fault.ts'
import { openGround } from '../../store/ground.ts'
import type { Planes } from '../../store/planes.ts'
import { underLease } from '../../store/under-lease.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Turn } from '../commit-entities.ts'
import type { Ctx } from '../context.ts'

/** What deciding works with. */
export type Deciding = Planes & Pick<Ctx, 'applier' | 'caller' | 'key'>

/**
 * Lets a person decide which things are one: checks that the caller sees the entities and may change the whole sandbox,
 * then runs the work under the sandbox's lease. Throws `not_found` for an entity that the caller does not see, and
 * `forbidden` to one whose grant is limited to a project, since others outside it would see the decision too.
 */
export async function decideInTurn<T>(
  ctx: Deciding,
  reach: Reach,
  entityIds: readonly string[],
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const { ground, view } = await openGround(ctx, reach, null)
  for (const id of entityIds) {
    if (!view.graph.knows(view.canonical(id), ground.scope)) throw new Fault('not_found')
  }
  if (reach.projectId !== null) throw new Fault('forbidden', { detail: 'Your grant is limited to one project.' })
  assertWritable(reach)
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId }
  return underLease(ctx, ctx.applier, sandbox, async (lease) =>
    work({ lease, view: await ctx.knowledge.view({ ...lease, seal: ctx.key?.seal }, lease.head) }),
  )
}

/** The canonical entities of these ids, in order. Throws `not_found` when one is gone. */
export async function entitiesOf({ view }: Pick<Turn, 'view'>, ids: readonly string[]): Promise<Entity[]> {
  const canonical = ids.map(view.canonical)
  const rows = await view.store.entitiesAt(view.head, view.entityRowsOf(new Set(canonical)))
  return canonical.map((id) => {
    const row = rows.get(id)
    if (!row) throw new Fault('not_found')
    return decodeEntity(row)
  })
}

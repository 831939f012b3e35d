import { Fault } from '../../base/fault.ts'
import type { Tx } from '../../db/open.ts'
import type { Ctx, Planes } from '../handler.ts'
import { type Lease, moveHead } from '../ingest/lease.ts'
import { underLease } from '../ingest/under-lease.ts'
import { assertWritable } from '../sandboxes/assert-writable.ts'
import type { Reach } from '../sharing/reach.ts'
import { decodeEntity } from './entity-content.ts'
import type { Entity } from './entity-parts.ts'
import { openGround } from './ground.ts'
import type { EntityRow } from './lance/rows.ts'
import type { SandboxView } from './sandbox-view.ts'

/** A sandbox under its lease, as it stands at the lease's head. */
export interface Turn {
  lease: Lease
  view: SandboxView
}

/**
 * Lets a person decide which things are one: checks that the caller sees the entities and may change the whole sandbox,
 * then runs the work under the sandbox's lease. Throws `not_found` for an entity that the caller does not see, and
 * `forbidden` to one whose grant is limited to a project, since others outside it would see the decision too.
 */
export async function decideInTurn<T>(
  ctx: Ctx,
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

/**
 * Commits rows of entities and moves the head in the transaction of `record`; its result is returned. Throws
 * `unavailable` when the lease was lost meanwhile: then nothing has changed.
 */
export async function commitEntities<T>(
  planes: Planes,
  { lease, view }: Turn,
  entities: readonly EntityRow[],
  record: (tx: Tx) => Promise<T>,
): Promise<T> {
  const head = await view.store.commit(lease.head, { records: [], entities, links: [] })
  const result = await planes.sql.transact(lease.userId, async (tx) => {
    if (!(await moveHead(tx, lease, head, { commitsSinceUpkeep: lease.commitsSinceUpkeep + 1 })))
      throw new Fault('unavailable')
    return record(tx)
  })
  planes.knowledge.committed(lease, head)
  return result
}

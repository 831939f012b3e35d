import type { Done } from '@cairnstore/contract'
import { decodeContent, type StoredContent } from '@cairnstore/engine/resolve'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import type { Deciding } from '../../ingest/decide/entity-turn.ts'
import { markDeleted } from '../../ingest/deleted-records.ts'
import { storedBefore } from '../../ingest/stored-before.ts'
import { changesOf } from '../../store/changes.ts'
import { openGround } from '../../store/ground.ts'
import { moveHead } from '../../store/lease.ts'
import { underLease } from '../../store/under-lease.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from '../context.ts'
import { removalOf, sizeAfter } from '../erasure/removal.ts'
import { NOTHING } from '../erasure/store.ts'

/**
 * Deletes a record in scope with whatever only it supported: it is out of every answer when this resolves, its mark
 * keeps a repeat of it out, and the janitor removes what older versions hold of it. Throws `not_found`,
 * `sandbox_not_active`, and `unavailable` when another process holds the lease for too long.
 */
export async function deleteRecord(
  ctx: Deciding & Pick<Ctx, 'janitor'> & Recording,
  reach: Reach,
  recordId: string,
): Promise<Done> {
  const { ground, view: seen } = await openGround(ctx, reach, null)
  if (!seen.graph.hasRecord(recordId, ground.scope)) throw new Fault('not_found')
  assertWritable(reach)
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId }
  const seal = ctx.key?.seal
  await underLease(ctx, ctx.applier, sandbox, async (lease) => {
    const view = await ctx.knowledge.view({ ...lease, seal }, lease.head)
    const row = view.graph.hasRecord(recordId, ground.scope) ? view.rowOf(recordId) : undefined
    const stored = row === undefined ? undefined : (await view.store.recordsAt(lease.head, [row])).get(recordId)
    if (!stored) throw new Fault('not_found')
    const batch = await removalOf(view, [stored], ctx.clock)
    const links = await view.store.linksOfRecords(lease.head, [recordId])
    const changes = changesOf(batch, storedBefore(view, batch))
    const head = await view.store.commit(lease.head, batch)
    const gone = batch.entities.filter((entity) => !entity.live).length
    await ctx.sql.transact(lease.userId, async (tx) => {
      const { hasComparable } = batch
      const commitsSinceUpkeep = lease.commitsSinceUpkeep + 1
      const move = { commitsSinceUpkeep, changes, hasComparable, ...sizeAfter(lease, batch) }
      if (!(await moveHead(tx, lease, head, move))) throw new Fault('unavailable')
      const content = decodeContent<StoredContent>(stored.content)
      const record = { id: recordId, sourceId: stored.sourceId, projectId: stored.projectId, content }
      await markDeleted(tx, sandbox, record, { hash: view.hash, seal, at: ctx.clock.now() })
      await tx
        .insertInto('erasure')
        .values({
          user_id: lease.userId,
          id: newId('job', ctx.clock),
          sandbox_id: lease.sandboxId,
          source_id: null,
          record_id: recordId,
          up_to_seq: head.seq,
          counts: { ...NOTHING, records: 1, entities: gone, links: links.length },
          erased_at: null,
          scrubbed_at: null,
        })
        .execute()
      await recordEvent(ctx, tx, { holderId: lease.userId, sandboxId: lease.sandboxId, subjectId: recordId })
    })
    ctx.knowledge.committed(lease, head)
  })
  ctx.janitor.wake()
  return { success: true, message: 'The record is deleted.' }
}

import type { DeletedCounts, PurgedSource } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { SourcesCtx } from '../../sources/context.ts'
import { assertWithinGrant, removeSource } from '../../sources/registry/delete-source.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { lockSource } from '../../tenancy/sources/source-rows.ts'
import type { Janitor } from './janitor.ts'
import { NO_COUNTS } from './store.ts'

/** Maximum milliseconds for which the caller waits. The purge continues after that. */
const WAIT_MS_MAX = 10 * 60_000
/** Milliseconds between two checks, because another process may complete the purge without a notification. */
const RECHECK_MS = 100

/**
 * Erases all records of a source, and all entity keys that only they declared. Resolves when that is done. The purge is
 * stored before it begins, so it continues after a crash or a disconnect. A second call joins a purge that has not
 * begun. Throws `sandbox_not_active`. Throws `forbidden` if the grant is limited to a project and the source is also
 * used by other projects.
 */
export async function purgeSource(
  ctx: Pick<SourcesCtx, 'secrets' | 'signal' | 'sql'> & AuditContext & { readonly janitor: Janitor },
  access: AccessScope,
  sourceId: string,
  { deleteSource }: { deleteSource: boolean },
): Promise<PurgedSource> {
  const { id, removed } = await ctx.sql.transact(access.holderId, async (tx) => {
    const source = await lockSource(tx, access, sourceId, 'delete')
    assertWritable(access)
    await assertWithinGrant(tx, access, sourceId)
    const removed = deleteSource ? await removeSource(ctx, tx, source) : undefined
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: sourceId })
    return { id: await insertPurge(ctx, tx, access, sourceId), removed }
  })
  ctx.janitor.wake()
  const counts = await waitUntilPurged(ctx, access, id)
  return {
    success: true,
    delete_source_applied: deleteSource,
    events_deleted: counts.records,
    extractions_deleted: counts.links,
    canonical_index_rows_deleted: counts.entities,
    entity_vectors_deleted: 0,
    triggers_deleted: 0,
    webhooks_deleted: removed?.source_secret ?? 0,
    event_seen_deleted: 0,
    project_links_deleted: removed?.project_source ?? 0,
    strategy_artifacts_deleted: 0,
    pull_artifacts_deleted: 0,
    user_strategies_deleted: 0,
    vault_objects_deleted: counts.objects,
  }
}

/** Stores the purge, or finds one of the same source that is pending. Returns its id. */
async function insertPurge(
  ctx: Pick<SourcesCtx, 'clock'>,
  tx: Tx,
  access: AccessScope,
  sourceId: string,
): Promise<string> {
  const running = await tx
    .selectFrom('erasure')
    .select('id')
    .where(ofSandbox(access, { source_id: sourceId }))
    .where('erased_at', 'is', null)
    .where('up_to_seq', 'is', null)
    .executeTakeFirst()
  if (running) return running.id
  const id = newId('job', ctx.clock)
  const place = { userId: access.holderId, sandboxId: access.sandboxId }
  await tx
    .insertInto('erasure')
    .values({
      user_id: place.userId,
      id,
      sandbox_id: place.sandboxId,
      source_id: sourceId,
      up_to_seq: null,
      counts: NO_COUNTS,
      erased_at: null,
      scrubbed_at: null,
    })
    .execute()
  return id
}

async function waitUntilPurged(
  ctx: Pick<SourcesCtx, 'signal' | 'sql'> & { readonly janitor: Janitor },
  access: AccessScope,
  id: string,
): Promise<DeletedCounts> {
  const deadline = performance.now() + WAIT_MS_MAX
  for (;;) {
    const row = await ctx.sql.transact(access.holderId, (tx) =>
      tx
        .selectFrom('erasure')
        .select(['erased_at', 'counts'])
        .where('user_id', '=', access.holderId)
        .where('id', '=', id)
        .executeTakeFirst(),
    )
    // The row is deleted with the sandbox. Otherwise it is deleted only long after this code has read it.
    if (!row) throw new Fault('not_found')
    if (row.erased_at) return row.counts as DeletedCounts
    if (ctx.signal.aborted || performance.now() > deadline) {
      throw new Fault('unavailable', { detail: 'The purge continues. Repeat the call to wait for it.' })
    }
    await ctx.janitor.untilDone(id, RECHECK_MS)
  }
}

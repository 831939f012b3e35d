import type {
  adminOperations,
  Done,
  memberOperations,
  recordLifecycleOperations,
  sandboxLifecycleOperations,
  sandboxOperations,
  sourceLifecycleOperations,
} from '@cairnstore/contract'
import { decodeContent, type StoredContent } from '@cairnstore/engine/resolve'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/id.ts'
import { storedBefore } from '../ingest/commit-entities.ts'
import type { DecisionContext } from '../ingest/decide/decisions.ts'
import { markDeleted } from '../ingest/deleted-records.ts'
import { listDeliveries } from '../sources/deliveries/list-deliveries.ts'
import { pullSource } from '../sources/polling/pull-source.ts'
import { deleteSource } from '../sources/registry/delete-source.ts'
import { listRunFiles, listRuns } from '../sources/registry/list-runs.ts'
import { changeSourceState, rotateSecret } from '../sources/registry/list-sources.ts'
import { changesOf } from '../store/changes.ts'
import { moveHead } from '../store/lease.ts'
import { openSnapshot } from '../store/read-snapshot.ts'
import { underLease } from '../store/under-lease.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { createAccount, createAccountKey, listAccounts, setSandboxTier } from '../tenancy/admin/accounts.ts'
import { type AuditContext, listAudit, recordEvent } from '../tenancy/audit/record-event.ts'
import { assertWritable } from '../tenancy/sandboxes/assert-writable.ts'
import { changeSandboxState, listSandboxes, wireSandbox } from '../tenancy/sandboxes/sandboxes.ts'
import { eraseAccount, eraseOwner, setAccountStatus } from './admin/accounts.ts'
import type { LifecycleCtx, LifecycleHandlers } from './context.ts'
import { buildRemovalBatch, sizeAfter } from './erasure/purge-records.ts'
import { purgeSource } from './erasure/purge-source.ts'
import { NO_COUNTS } from './erasure/store.ts'
import { removeMember, updateMember } from './members/members.ts'
import { rotateKey } from './rotate-key.ts'
import { createSandbox, deleteSandbox, getSandboxUsage, updateSandbox } from './sandboxes/sandboxes.ts'

type AnsweredOperations = typeof adminOperations &
  Pick<typeof memberOperations, 'updateMember' | 'removeMember'> &
  typeof recordLifecycleOperations &
  typeof sandboxOperations &
  typeof sandboxLifecycleOperations &
  typeof sourceLifecycleOperations

/** Handlers of operations that involve several packages: creation, erasure and state changes. */
export const handlers: LifecycleHandlers<AnsweredOperations> = {
  createAccount: (ctx, { body }) => createAccount(ctx, body),
  listAccounts: (ctx, { query }) => listAccounts(ctx, query),
  createAccountKey: (ctx, { params, body }) => createAccountKey(ctx, params.user_id, body),
  suspendAccount: (ctx, { params }) => setAccountStatus(ctx, params.user_id, 'suspended'),
  reactivateAccount: (ctx, { params }) => setAccountStatus(ctx, params.user_id, 'active'),
  deleteAccount: (ctx, { params }) => eraseAccount(ctx, params.user_id),
  updateSandboxTier: (ctx, { params, body }) => setSandboxTier(ctx, params.sandbox_id, body.tier),
  listAuditChain: (ctx, { query }) => listAudit(ctx, { operator: true }, query.chain, query),

  updateMember: (ctx, { params, body }) => updateMember(ctx, params.member_id, body),
  removeMember: (ctx, { params }) => removeMember(ctx, params.member_id),

  deleteRecord: (ctx, { access, params }) => deleteRecord(ctx, access, params.record_id),

  createSandbox: (ctx, { body }) => createSandbox(ctx, body),
  listSandboxes: (ctx, { query }) => listSandboxes(ctx, query),
  getSandbox: async (ctx, { access }) => wireSandbox(access.sandbox, ctx.limits, access.role),
  getSandboxUsage: (ctx, { access }) => getSandboxUsage(ctx, access),
  updateSandbox: (ctx, { access, body }) => updateSandbox(ctx, access, body),
  deleteSandbox: (ctx, { access }) => deleteSandbox(ctx, access),

  suspendSandbox: (ctx, { access }) => changeSandboxState(ctx, access, 'suspended'),
  reactivateSandbox: (ctx, { access }) => changeSandboxState(ctx, access, 'reactivated'),
  archiveSandbox: (ctx, { access }) => changeSandboxState(ctx, access, 'archived'),
  rotateSandboxKey: (ctx, { access }) => rotateKey(ctx, access),
  deleteOwner: (ctx, { body }) => eraseOwner(ctx, body.owner_id),

  pauseSource: (ctx, { access, params }) => changeSourceState(ctx, access, params.source_id, 'paused'),
  resumeSource: (ctx, { access, params }) => changeSourceState(ctx, access, params.source_id, 'resumed'),
  disconnectSource: (ctx, { access, params }) => changeSourceState(ctx, access, params.source_id, 'disconnected'),
  rotateWebhookSecret: (ctx, { access, params, body }) =>
    rotateSecret(ctx, access, params.source_id, body.grace_seconds ?? 0),
  pullSource: (ctx, { access, params, body }) => pullSource(ctx, access, params.source_id, body.since),
  purgeSource: (ctx, { access, params, body }) =>
    purgeSource(ctx, access, params.source_id, { deleteSource: body.delete_source ?? false }),
  deleteSource: (ctx, { access, params }) => deleteSource(ctx, access, params.source_id),
  listRuns: (ctx, { access, params, query }) => listRuns(ctx, access, params.source_id, query),
  listRunFiles: (ctx, { access, params, query }) => listRunFiles(ctx, access, params, query),
  listDeliveries: (ctx, { access, params, query }) => listDeliveries(ctx, access, params.source_id, query),
}

/**
 * Deletes a record in scope, and all entity keys that only it declared. No answer uses it after this resolves. Its
 * tombstone rejects the same record if it arrives again, and the janitor removes it from older versions. Throws
 * `not_found`, `sandbox_not_active`, and `unavailable` if another process holds the lease for too long.
 */
async function deleteRecord(
  ctx: DecisionContext & Pick<LifecycleCtx, 'janitor'> & AuditContext,
  access: AccessScope,
  recordId: string,
): Promise<Done> {
  const { snapshot, view: seen } = await openSnapshot(ctx, access, null)
  if (!seen.graph.hasRecord(recordId, snapshot.scope)) throw new Fault('not_found')
  assertWritable(access)
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  const seal = ctx.key?.seal
  await underLease(ctx, ctx.applier, sandbox, async (lease) => {
    const view = await ctx.knowledge.view({ ...lease, seal }, lease.head)
    const row = view.graph.hasRecord(recordId, snapshot.scope) ? view.rowOf(recordId) : undefined
    const stored = row === undefined ? undefined : (await view.store.recordsAt(lease.head, [row])).get(recordId)
    if (!stored) throw new Fault('not_found')
    const batch = await buildRemovalBatch(view, [stored], ctx.clock)
    const links = await view.store.linksOfRecords(lease.head, [recordId])
    const changes = changesOf(batch, storedBefore(view, batch))
    const head = await view.store.commit(lease.head, batch)
    const removedEntities = batch.entities.filter((entity) => !entity.live).length
    await ctx.sql.transact(lease.userId, async (tx) => {
      const { hasComparable } = batch
      const commitsSinceCompaction = lease.commitsSinceCompaction + 1
      const move = {
        commitsSinceCompaction,
        changes,
        hasComparable,
        ...sizeAfter(lease, batch),
      }
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
          counts: { ...NO_COUNTS, records: 1, entities: removedEntities, links: links.length },
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

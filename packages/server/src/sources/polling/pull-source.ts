import type { Id, PulledSource } from '@cairnstore/contract'
import { instantOf } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { CONSENT_FAILURES } from '../../base/pull-failure.ts'
import { admitDelivery } from '../../ingest/admit-delivery.ts'
import { openJob, PULL_JOB } from '../../ingest/inbox.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { readStoredKey } from '../../tenancy/caller-keys/retained-keys.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { lockSource } from '../../tenancy/sources/source-rows.ts'
import { connectorFor } from '../connectors/connector-for.ts'
import type { SourcesCtx } from '../context.ts'
import { updateSourceOf } from './pull-run.ts'

/**
 * Makes a source due and returns the job of its pull. A waiting or running job is reused. With `since`, changes from
 * that time on are read again. An archived source becomes active. Throws `not_pullable`, `needs_authorization`,
 * `source_not_active` and `sandbox_not_active`. Throws `missing` if the credential needs the customer-managed key, and
 * `quota_exceeded` if an archived source would exceed the quota.
 */
export async function pullSource(
  ctx: Pick<SourcesCtx, 'key' | 'limits' | 'poller' | 'sql'> & AuditContext,
  scope: AccessScope,
  sourceId: string,
  since?: string | null,
): Promise<PulledSource> {
  const now = ctx.clock.now()
  const jobId = await ctx.sql.transact(scope.holderId, async (tx) => {
    const found = await lockSource(tx, scope, sourceId)
    assertWritable(scope)
    if (!connectorFor(found.provider).pull) throw new Fault('not_pullable')
    if (found.credential_under_key && !ctx.key) throw new Fault('missing')
    if (CONSENT_FAILURES.some((reason) => reason === found.last_error)) throw new Fault('needs_authorization')
    await admitDelivery(ctx, tx, scope, found)
    const ref = { userId: scope.holderId, sandboxId: scope.sandboxId, sourceId }
    const id = (found.poll_job_id ?? newId('job', ctx.clock)) as Id<'job'>
    if (found.poll_job_id === null) {
      const sealTo = readStoredKey(scope.sandbox.caller_key)?.publicKey
      await openJob(tx, { ...ref, id, sealTo, type: PULL_JOB, projectId: scope.projectId, createdAt: now })
    }
    const from = since ? instantOf(since) : undefined
    await updateSourceOf(tx, ref)
      .set({ poll_job_id: id, next_poll_at: now, ...(from && { poll_since: from }) })
      .execute()
    await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: sourceId })
    return id
  })
  if (ctx.key) ctx.poller.retainKey({ userId: scope.holderId, sandboxId: scope.sandboxId })
  ctx.poller.wake()
  return { job_id: jobId, job_type: PULL_JOB, status: 'queued' }
}

import type { CreateSandbox, DeletedSandbox, Sandbox, Tier, UpdateSandbox, Usage } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { headOf } from '../../db/head.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { assertMatches, assertVersion } from '../../db/versions.ts'
import { measureHead } from '../../store/measure-head.ts'
import { originalBytes } from '../../store/original-rows.ts'
import type { Planes } from '../../store/planes.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent, recordingEvent } from '../../tenancy/audit/record-event.ts'
import { tenantOf } from '../../tenancy/caller.ts'
import { type IdempotencyContext, storeReply } from '../../tenancy/idempotency/keyed-request.ts'
import { sandboxRate } from '../../tenancy/limits/rates.ts'
import { wireSandbox } from '../../tenancy/sandboxes/sandboxes.ts'
import { RETIRED } from '../../tenancy/sources/source-rows.ts'
import { type AccessKey, placeOf, storeAccess, toAccess, toBucket } from '../../tenancy/storage/bucket.ts'
import type { LifecycleCtx } from '../context.ts'
import { eraseSandbox } from '../erasure/erase-sandbox.ts'

/**
 * Creates a sandbox in the caller's account, optionally with a bucket of its own. Throws `storage_unfit` if the bucket
 * cannot be used, `duplicate_name` if the owner_id already has a sandbox with this name, and `sandboxes_max` if the
 * limit of the tier is reached.
 */
export async function createSandbox(
  ctx: Pick<LifecycleCtx, 'buckets' | 'limits' | 'secrets' | 'sql'> & AuditContext & IdempotencyContext,
  input: CreateSandbox,
): Promise<Sandbox> {
  const accountId = tenantOf(ctx.caller)
  const bucket = input.storage ? toBucket(input.storage, ctx.buckets.allowLoopback) : null
  if (bucket) await ctx.buckets.probe(bucket)
  const id = newId('sandbox', ctx.clock)
  const now = ctx.clock.now()
  const tier = input.tier ?? 'free'
  return ctx.sql.transact(accountId, async (tx) => {
    await assertBelowLimit(tx, accountId, tier, ctx.limits[tier].max_sandboxes)
    const row = await tx
      .with('made', (db) =>
        db
          .insertInto('sandbox')
          .values({
            user_id: accountId,
            id,
            owner_id: input.owner_id,
            name: input.name,
            tier,
            storage_provider_type: bucket ? 'custom_s3' : 'platform_s3',
            storage: bucket && { ...bucket.place },
            metadata: input.metadata ?? {},
            key_fingerprint: null,
            created_at: now,
            updated_at: now,
            member_id: ctx.caller.member?.id ?? null,
          })
          .returningAll(),
      )
      .with('head', (db) =>
        db
          .insertInto('sandbox_head')
          .values({ user_id: accountId, sandbox_id: id, lease_owner: null, lease_until: null }),
      )
      .selectFrom('made')
      .selectAll()
      .select(recordingEvent(ctx, { holderId: accountId, sandboxId: id, subjectId: id }).as('recorded'))
      .executeTakeFirstOrThrow()
    if (bucket) await storeAccess(ctx.secrets, tx, { userId: accountId, sandboxId: id }, bucket.access)
    const sandbox = wireSandbox(row, ctx.limits, 'owner')
    await storeReply(ctx, tx, sandbox)
    return sandbox
  })
}

/**
 * Throws `sandboxes_max` if the account has reached its limit of sandboxes. The lock serializes concurrent creations.
 * Archived sandboxes count, because their content is stored.
 */
async function assertBelowLimit(tx: Tx, accountId: string, tier: Tier, limit: number | null): Promise<void> {
  if (limit === null) return
  await tx.selectFrom('account').select('user_id').where('user_id', '=', accountId).forNoKeyUpdate().execute()
  const { count } = await tx
    .selectFrom('sandbox')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('user_id', '=', accountId)
    .where('tier', '=', tier)
    .executeTakeFirstOrThrow()
  if (count < limit) return
  throw new Fault('sandboxes_max', { detail: `An account may have ${limit} sandboxes of the tier ${tier}.` })
}

export type DeletionContext = Planes & Pick<LifecycleCtx, 'authenticator' | 'ifMatch'> & AuditContext

/**
 * Deletes a sandbox and everything in it. Nothing is accessible after it resolves, and all bytes are removed within a
 * minute.
 */
export async function deleteSandbox(ctx: DeletionContext, access: AccessScope): Promise<DeletedSandbox> {
  const { holderId, sandboxId } = access
  const deleted = await eraseSandbox(ctx, { userId: holderId, sandboxId }, async (tx) => {
    await assertVersion(tx, ctx.ifMatch, 'sandbox', { userId: holderId, id: sandboxId })
    await recordEvent(ctx, tx, { holderId, sandboxId, subjectId: sandboxId })
  })
  // From now on, keys of connections to the sandbox are invalid.
  ctx.authenticator.forget({ accountId: holderId })
  return { success: true, message: 'The sandbox and all its data are deleted.', deleted }
}

/**
 * Changes the name, metadata or bucket access key of a sandbox. A new access key is tested first. Fields that are
 * omitted or null keep their value. Throws `sandbox_not_active`, `duplicate_name`, `no_own_storage` and
 * `storage_unfit`.
 */
export async function updateSandbox(
  ctx: Pick<LifecycleCtx, 'buckets' | 'ifMatch' | 'limits' | 'secrets' | 'sql'> & AuditContext,
  accessScope: AccessScope,
  change: UpdateSandbox,
): Promise<Sandbox> {
  const { holderId, sandboxId } = accessScope
  const name = change.name ?? undefined
  const metadata = change.metadata ?? undefined
  assertMatches(ctx.ifMatch, accessScope.sandbox.version)
  const accessKey = change.storage ? await tryAccess(ctx, accessScope, toAccess(change.storage)) : undefined
  if (name === undefined && metadata === undefined && !accessKey)
    return wireSandbox(accessScope.sandbox, ctx.limits, accessScope.role)
  const changing = (tx: Tx) => changeRow(ctx, tx, accessScope, { name, metadata })
  const [row] = !accessKey
    ? await ctx.sql.write(holderId, changing)
    : await ctx.sql.transact(holderId, async (tx) => {
        const changed = await changing(tx).execute()
        if (changed.length > 0) await storeAccess(ctx.secrets, tx, { userId: holderId, sandboxId }, accessKey)
        return changed
      })
  if (!row) throw await updateFault(ctx, accessScope)
  if (accessKey) ctx.buckets.forget(sandboxId)
  return wireSandbox(row, ctx.limits, accessScope.role)
}

type SandboxChange = { name: string | undefined; metadata: JsonObject | undefined }

/** Returns one statement that checks the scope's version, changes the row and records an audit event. */
function changeRow(
  ctx: Pick<LifecycleCtx, 'ifMatch'> & AuditContext,
  tx: Tx,
  { holderId, sandboxId, sandbox }: AccessScope,
  change: SandboxChange,
) {
  const { ifMatch } = ctx
  return tx
    .with('changed', (db) =>
      db
        .updateTable('sandbox')
        .set({ ...change, updated_at: ctx.clock.now() })
        .where('user_id', '=', holderId)
        .where('id', '=', sandboxId)
        .where('status', '=', 'active')
        .$if(ifMatch !== undefined && ifMatch !== 'any', (is) => is.where('version', '=', sandbox.version))
        .returningAll(),
    )
    .selectFrom('changed')
    .selectAll()
    .select(recordingEvent(ctx, { holderId, sandboxId, subjectId: sandboxId }).as('recorded'))
}

/** Tests an access key on the sandbox's own bucket and returns it. */
async function tryAccess(
  ctx: Pick<LifecycleCtx, 'buckets'>,
  { sandbox }: AccessScope,
  access: AccessKey,
): Promise<AccessKey> {
  const place = placeOf(sandbox.storage)
  if (place === null) throw new Fault('no_own_storage')
  if (sandbox.status !== 'active') throw new Fault('sandbox_not_active')
  await ctx.buckets.probe({ place, access })
  return access
}

/** Returns the fault for a change that found no row to change. */
async function updateFault(
  ctx: Pick<LifecycleCtx, 'ifMatch' | 'sql'>,
  { holderId, sandboxId }: AccessScope,
): Promise<Fault> {
  const [row] = await ctx.sql.look(holderId, (tx) =>
    tx.selectFrom('sandbox').select(['status', 'version']).where('user_id', '=', holderId).where('id', '=', sandboxId),
  )
  if (!row) return new Fault('not_found')
  assertMatches(ctx.ifMatch, row.version)
  return new Fault('sandbox_not_active')
}

/** Returns how much of its limits the sandbox uses. Throws `grant_limits` for a grant on a single project. */
export async function getSandboxUsage(
  ctx: Pick<LifecycleCtx, 'knowledge' | 'limits' | 'rates' | 'sql'>,
  access: AccessScope,
): Promise<Usage> {
  if (access.projectId !== null) throw new Fault('grant_limits')
  const [counts, size, records, queries, reads, reading, rereading] = await Promise.all([
    countRows(ctx, access),
    sizeOf(ctx, access),
    ctx.rates.used(sandboxRate('records', access, ctx.limits)),
    ctx.rates.used(sandboxRate('queries', access, ctx.limits)),
    ctx.rates.used(sandboxRate('reads', access, ctx.limits)),
    embeddingProgress(ctx, access),
    backfillProgress(ctx, access),
  ])
  return {
    max_data_sources: counts.sources,
    max_projects: counts.projects,
    max_storage_bytes: size.bytes + counts.originals,
    max_records: size.records,
    ingest_records_per_minute: records,
    queries_per_minute: queries,
    reads_per_minute: reads,
    reading,
    rereading,
  }
}

async function countRows(
  ctx: Pick<LifecycleCtx, 'sql'>,
  { holderId, sandboxId }: AccessScope,
): Promise<{ sources: number; projects: number; originals: number }> {
  return ctx.sql.transact(holderId, async (tx) => {
    const { sources } = await tx
      .selectFrom('source')
      .select((is) => is.fn.countAll<number>().as('sources'))
      .where(ofSandbox({ holderId, sandboxId }))
      .where('status', 'not in', RETIRED)
      .executeTakeFirstOrThrow()
    const { projects } = await tx
      .selectFrom('project')
      .select((is) => is.fn.countAll<number>().as('projects'))
      .where(ofSandbox({ holderId, sandboxId }))
      .executeTakeFirstOrThrow()
    return { sources, projects, originals: await originalBytes(tx, { userId: holderId, sandboxId }) }
  })
}

/**
 * Returns the number of embedded records and of those that still wait. If all are embedded, the head shows it, and the
 * graph need not be opened.
 */
async function embeddingProgress(
  { knowledge, sql }: Pick<LifecycleCtx, 'knowledge' | 'sql'>,
  access: AccessScope,
): Promise<Usage['reading']> {
  const { space } = knowledge
  if (space === undefined) return { model: null, records: 0, waiting: 0 }
  const row = await headRowOf(sql, access)
  // Content under a customer-managed key is not sent to an external model.
  if (row.key_epoch !== null && !space.isLocal) return { model: null, records: 0, waiting: 0 }
  const records = row.record_count
  const isDone = row.vectored_seq === row.seq && row.vector_space === space.key
  if (isDone && records !== null) return { model: space.model, records, waiting: 0 }
  const { done, all } = await knowledge.countEmbedded(
    { userId: access.holderId, sandboxId: access.sandboxId },
    headOf(row),
  )
  return { model: space.model, records: done, waiting: all - done }
}

/** Returns the number of records that still have to be reindexed. */
async function backfillProgress(
  { knowledge, sql }: Pick<LifecycleCtx, 'knowledge' | 'sql'>,
  access: AccessScope,
): Promise<Usage['rereading']> {
  const row = await headRowOf(sql, access)
  if (row.reread_up_to === 0) return { waiting: 0 }
  const sandbox = { userId: access.holderId, sandboxId: access.sandboxId }
  return { waiting: await knowledge.countUpTo(sandbox, headOf(row), row.reread_up_to) }
}

function headRowOf(sql: LifecycleCtx['sql'], { holderId, sandboxId }: AccessScope): Promise<Row<'sandbox_head'>> {
  return sql.transact(holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .selectAll()
      .where(ofSandbox({ holderId, sandboxId }))
      .executeTakeFirstOrThrow(() => new Fault('not_found')),
  )
}

async function sizeOf(
  ctx: Pick<LifecycleCtx, 'knowledge' | 'sql'>,
  access: AccessScope,
): Promise<{ records: number; bytes: number }> {
  const row = await headRowOf(ctx.sql, access)
  const { record_count: records, content_bytes: bytes } = row
  if (records !== null && bytes !== null) return { records, bytes }
  const { store, head } = await ctx.knowledge.view(
    { userId: access.holderId, sandboxId: access.sandboxId },
    headOf(row),
  )
  return measureHead(store, head)
}

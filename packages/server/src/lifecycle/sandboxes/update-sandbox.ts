import type { Sandbox, UpdateSandbox } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { JsonObject } from '../../db/json-object.ts'
import type { Tx } from '../../db/open.ts'
import { assertMatches } from '../../db/versions.ts'
import { type Recording, recordingEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { wireSandbox } from '../../tenancy/sandboxes/store.ts'
import { keepAccess } from '../../tenancy/storage/access-store.ts'
import { type Access, placeOf, toAccess } from '../../tenancy/storage/bucket.ts'
import type { Ctx } from '../context.ts'

/**
 * Renames a sandbox, replaces its metadata or the access key of its own bucket, once that one is tried. A field that is
 * omitted or null keeps its value. Throws `sandbox_not_active`, `duplicate_name`, `no_own_storage` and `storage_unfit`.
 */
export async function updateSandbox(
  ctx: Pick<Ctx, 'buckets' | 'ifMatch' | 'limits' | 'secrets' | 'sql'> & Recording,
  reach: Reach,
  change: UpdateSandbox,
): Promise<Sandbox> {
  const { holderId, sandboxId } = reach
  const name = change.name ?? undefined
  const metadata = change.metadata ?? undefined
  assertMatches(ctx.ifMatch, reach.sandbox.version)
  const access = change.storage ? await tryAccess(ctx, reach, toAccess(change.storage)) : undefined
  if (name === undefined && metadata === undefined && !access) return wireSandbox(reach.sandbox, ctx.limits, reach.role)
  const changing = (tx: Tx) => changeRow(ctx, tx, reach, { name, metadata })
  const [row] = !access
    ? await ctx.sql.write(holderId, changing)
    : await ctx.sql.transact(holderId, async (tx) => {
        const changed = await changing(tx).execute()
        if (changed.length > 0) await keepAccess(ctx.secrets, tx, { userId: holderId, sandboxId }, access)
        return changed
      })
  if (!row) throw await refusalOf(ctx, reach)
  if (access) ctx.buckets.forget(sandboxId)
  return wireSandbox(row, ctx.limits, reach.role)
}

type Change = { name: string | undefined; metadata: JsonObject | undefined }

/** One statement that checks, changes and records. The version that the condition allows is the one that reach saw. */
function changeRow(
  ctx: Pick<Ctx, 'ifMatch'> & Recording,
  tx: Tx,
  { holderId, sandboxId, sandbox }: Reach,
  change: Change,
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

/** The access key, when it opens the sandbox's own bucket. */
async function tryAccess(ctx: Pick<Ctx, 'buckets'>, { sandbox }: Reach, access: Access): Promise<Access> {
  const place = placeOf(sandbox.storage)
  if (place === null) throw new Fault('no_own_storage')
  if (sandbox.status !== 'active') throw new Fault('sandbox_not_active')
  await ctx.buckets.probe({ place, access })
  return access
}

/** Why there was nothing to change. */
async function refusalOf(ctx: Pick<Ctx, 'ifMatch' | 'sql'>, { holderId, sandboxId }: Reach): Promise<Fault> {
  const [row] = await ctx.sql.look(holderId, (tx) =>
    tx.selectFrom('sandbox').select(['status', 'version']).where('user_id', '=', holderId).where('id', '=', sandboxId),
  )
  if (!row) return new Fault('not_found')
  assertMatches(ctx.ifMatch, row.version)
  return new Fault('sandbox_not_active')
}

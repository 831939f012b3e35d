import type { Sandbox, UpdateSandbox } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import type { Ctx } from '../handler.ts'
import type { Reach } from '../sharing/reach.ts'
import { recordingEvent } from '../sharing/record-event.ts'
import { assertMatches } from '../versions.ts'
import { wireSandbox } from './store.ts'

/**
 * Renames a sandbox or replaces its metadata. A field that is omitted or null keeps its value. Throws
 * `sandbox_not_active` and `duplicate_name`.
 */
export async function updateSandbox(ctx: Ctx, reach: Reach, change: UpdateSandbox): Promise<Sandbox> {
  const { ifMatch } = ctx
  const { holderId, sandboxId } = reach
  const name = change.name ?? undefined
  const metadata = change.metadata ?? undefined
  assertMatches(ifMatch, reach.sandbox.version)
  if (name === undefined && metadata === undefined) return wireSandbox(reach.sandbox, ctx.limits, reach.role)
  // One statement checks, changes and records. The version that the condition allows is the one that reach saw.
  const [row] = await ctx.sql.write(holderId, (tx) =>
    tx
      .with('changed', (db) =>
        db
          .updateTable('sandbox')
          .set({ name, metadata, updated_at: ctx.clock.now() })
          .where('user_id', '=', holderId)
          .where('id', '=', sandboxId)
          .where('status', '=', 'active')
          .$if(ifMatch !== undefined && ifMatch !== 'any', (is) => is.where('version', '=', reach.sandbox.version))
          .returningAll(),
      )
      .selectFrom('changed')
      .selectAll()
      .select(recordingEvent(ctx, { holderId, sandboxId, subjectId: sandboxId }).as('recorded')),
  )
  if (!row) throw await refusalOf(ctx, reach)
  return wireSandbox(row, ctx.limits, reach.role)
}

/** Why there was nothing to change. */
async function refusalOf(ctx: Ctx, { holderId, sandboxId }: Reach): Promise<Fault> {
  const [row] = await ctx.sql.look(holderId, (tx) =>
    tx.selectFrom('sandbox').select(['status', 'version']).where('user_id', '=', holderId).where('id', '=', sandboxId),
  )
  if (!row) return new Fault('not_found')
  assertMatches(ctx.ifMatch, row.version)
  return new Fault('sandbox_not_active')
}

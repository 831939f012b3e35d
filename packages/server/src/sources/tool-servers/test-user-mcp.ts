import type { Outcome } from '@cairnstore/contract'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { getSourceRow, lockSource } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { toolPinsOf } from '../registry/tool-pins.ts'
import { checkHealth, stateAfter } from './check-health.ts'
import { openToken } from './open-token.ts'
import { outcomeOf } from './outcome.ts'
import { notePins, pinsAfter } from './pins.ts'
import { neededTools, serverOf, settingsIn } from './settings.ts'
import { assertLive, assertUserMcp } from './store.ts'

/**
 * Checks a server of tools as it is registered; its state says afterwards what was found. It approves nothing: a tool
 * that has changed is not called until the source is changed. Throws `wrong_kind`, `source_not_active` for one that is
 * disconnected or archived, `missing` and `sandbox_not_active`.
 */
export async function testUserMcp(
  ctx: Pick<Ctx, 'key' | 'network' | 'secrets' | 'signal' | 'sql'> & Recording,
  reach: Reach,
  sourceId: string,
): Promise<Outcome> {
  assertWritable(reach)
  const seen = await ctx.sql.transact(reach.holderId, (tx) => getSourceRow(tx, reach, sourceId))
  assertUserMcp(seen)
  assertLive(seen)
  const settings = settingsIn(seen.adapter_config)
  const checked = await checkHealth(ctx, serverOf(settings, await openToken(ctx, seen)), neededTools(settings))
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const old = await lockSource(tx, reach, sourceId)
    assertLive(old)
    const pins = checked.tools && pinsAfter(toolPinsOf(old), checked.tools)
    if (pins) {
      const by = { actorId: ctx.caller.accountId, credentialId: ctx.caller.credential.id, requestId: ctx.requestId }
      await notePins(tx, old, pins, { ...by, now: ctx.clock.now() })
    }
    const row = await tx
      .updateTable('source')
      .set({ ...stateAfter(ctx, old.status, checked), ...(!checked.failure && { poll_failures: 0 }) })
      .where(ofSandbox(reach, { id: sourceId }))
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: sourceId })
    return outcomeOf(row, checked.failure)
  })
}

import type { Done } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertBelow, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import { countSources, getSourceRow, isLive, lockSource } from '../../tenancy/sources/source-rows.ts'
import { nextSourceState, type SourceEvent } from '../../tenancy/sources/source-states.ts'
import type { Ctx } from '../context.ts'
import { cancelPull } from './cancel-pull.ts'

type Decision = Extract<SourceEvent, 'paused' | 'resumed' | 'disconnected'>

const MESSAGES: Record<Decision, string> = {
  paused: 'The source is paused: it takes nothing and does not poll.',
  resumed: 'The source is active.',
  disconnected: 'The source is disconnected for good; its knowledge stays.',
}

/** A person who resumes a source wants it read now, whatever it had been waiting for. */
const FRESH = { next_poll_at: null, poll_failures: 0, last_error: null }

/**
 * Moves a source to the state after the event; one that is there already stays. Throws `source_not_active` when the
 * event is refused, `quota_exceeded` when an archived source has no room to come back, and `sandbox_not_active`.
 */
export async function changeSourceState(
  ctx: Pick<Ctx, 'limits' | 'sql'> & Recording,
  reach: Reach,
  sourceId: string,
  event: Decision,
): Promise<Done> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    // What is missing is missing whatever the sandbox's state; what counts is locked after the sandbox.
    await getSourceRow(tx, reach, sourceId)
    const limits = await lockForGrowth(tx, reach, ctx.limits)
    const source = await lockSource(tx, reach, sourceId)
    const next = nextSourceState(source.status, event)
    if (next === 'refused') throw new Fault('source_not_active', { detail: `The source is ${source.status}.` })
    if (next !== source.status) {
      if (!isLive(source) && isLive({ status: next })) {
        assertBelow(limits.max_data_sources, await countSources(tx, reach), 'sources')
      }
      const now = ctx.clock.now()
      await tx
        .updateTable('source')
        .set({ status: next, updated_at: now, last_seen_at: now, ...(event === 'resumed' && FRESH) })
        .where(ofSandbox(reach, { id: sourceId }))
        .execute()
      if (next === 'disconnected') await cancelPull(tx, source, now)
      await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: sourceId })
    }
    return { success: true, message: MESSAGES[event] }
  })
}

import type { Outcome, UpdateUserMcp } from '@cairn/contract'
import type { Row } from '../../db/tables.ts'
import type { Ctx } from '../handler.ts'
import { assertWritable, lockForGrowth } from '../sandboxes/assert-writable.ts'
import type { Reach } from '../sharing/reach.ts'
import { recordEvent } from '../sharing/record-event.ts'
import { keepSecrets } from '../sources/provider-secrets.ts'
import { getSourceRow, lockSource } from '../sources/store.ts'
import { assertMatches } from '../versions.ts'
import { checkHealth, stateAfter } from './check-health.ts'
import { openToken } from './open-token.ts'
import { outcomeOf } from './outcome.ts'
import { pinsOf } from './pins.ts'
import { assertSound, neededTools, serverOf, settingsAfter, settingsIn, type ToolServerSettings } from './settings.ts'
import { assertLive, assertNamespaceFree, assertUserMcp } from './store.ts'

/**
 * Changes a server of tools. It is checked as it will be, which approves its tools as they are now; the change holds
 * whatever the check found. A call under way goes on with the credential that it began with. Throws a refusal for
 * settings that do not go together, `wrong_kind`, `source_not_active` for one that is disconnected or archived,
 * `precondition_failed` and `sandbox_not_active`.
 */
export async function updateUserMcp(ctx: Ctx, reach: Reach, sourceId: string, change: UpdateUserMcp): Promise<Outcome> {
  assertWritable(reach)
  const seen = await ctx.sql.transact(reach.holderId, (tx) => getSourceRow(tx, reach, sourceId))
  assertChangeable(ctx, seen)
  const planned = settingsAfter(change, settingsIn(seen.adapter_config), sourceId)
  const given = change.token ?? undefined
  await assertSound(planned, given !== undefined || seen.credential_ref !== null, given !== undefined, ctx.network)
  const token = given ?? (await openToken(ctx, seen))
  const checked = await checkHealth(ctx, serverOf(planned, token), neededTools(planned))
  return ctx.sql.transact(reach.holderId, async (tx) => {
    await lockForGrowth(tx, reach, ctx.limits)
    const old = await lockSource(tx, reach, sourceId)
    assertChangeable(ctx, old)
    const settings = settingsAfter(change, settingsIn(old.adapter_config), sourceId)
    await assertNamespaceFree(tx, reach, sourceId, settings.app_namespace)
    const refs = await keepSecrets(ctx.secrets, tx, old, secretsAfter(settings, given))
    const row = await tx
      .updateTable('source')
      .set({
        ...refs,
        ...stateAfter(ctx, old.status, checked),
        name: change.name ?? old.name,
        ingestion_mode: modeAfter(old, settings),
        adapter_config: settings,
        poll_failures: 0,
        ...(checked.tools && { tool_pins: pinsOf(checked.tools) }),
        updated_at: ctx.clock.now(),
      })
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .where('id', '=', sourceId)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: sourceId })
    return outcomeOf(row, checked.failure)
  })
}

function assertChangeable(ctx: Ctx, source: Row<'source'>): void {
  assertUserMcp(source)
  assertLive(source)
  assertMatches(ctx.ifMatch, source.version)
}

/** What is sent to nobody any more is not kept. */
function secretsAfter({ auth_kind: kind }: ToolServerSettings, given: string | undefined) {
  if (kind === 'none') return { provider_credential: null }
  return given === undefined ? {} : { provider_credential: given }
}

/** With calls to make it is polled; without, it is read when asked to. One that takes deliveries goes on with that. */
function modeAfter({ ingestion_mode: mode }: Row<'source'>, { ingest_tool_calls: calls }: ToolServerSettings) {
  if (mode === 'realtime' || mode === 'batch') return mode
  return calls ? 'polling' : 'manual'
}

import type { Outcome, RegisterUserMcp } from '@cairnstore/contract'
import { refusedField } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import type { Tx } from '../../db/open.ts'
import type { Recording } from '../../tenancy/audit/record-event.ts'
import { keepsUnderKey, lockCredentialSeal } from '../../tenancy/caller-keys/credential-seal.ts'
import { type Keeping, keepReply } from '../../tenancy/idempotency/keep-reply.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import { countSources } from '../../tenancy/sources/source-rows.ts'
import { USER_MCP } from '../connectors/connector-for.ts'
import type { Ctx } from '../context.ts'
import { insertSource } from '../registry/insert-source.ts'
import { checkHealth, stateAfter } from './check-health.ts'
import { outcomeOf } from './outcome.ts'
import { pinsOf } from './pins.ts'
import { assertSound, neededTools, serverOf, settingsAfter } from './settings.ts'
import { assertNamespaceFree } from './store.ts'

/**
 * Registers a server of tools. It is checked before anything is written; then its secret, its row and its audit event
 * are written together, whatever the check found. Throws a refusal for settings that do not go together, also for calls
 * that could not be made without the caller's key; `missing`, `sandbox_not_active` and `quota_exceeded`.
 */
export async function registerUserMcp(
  ctx: Pick<Ctx, 'key' | 'limits' | 'network' | 'secrets' | 'signal' | 'sql'> & Recording & Keeping,
  reach: Reach,
  input: RegisterUserMcp,
): Promise<Outcome> {
  assertWritable(reach)
  const id = newId('source', ctx.clock)
  const settings = settingsAfter(input, {}, id)
  const token = input.token ?? undefined
  const mode = input.ingestion_mode ?? (settings.ingest_tool_calls ? 'polling' : 'manual')
  if (token !== undefined && keepsUnderKey(ctx, reach) && mode === 'polling') {
    throw refusedField('polling_under_key', 'ingestion_mode')
  }
  await assertSound(settings, token !== undefined, token !== undefined, ctx.network)
  const assertRoom = async (tx: Tx) => {
    const limits = await lockForGrowth(tx, reach, ctx.limits)
    assertBelow(limits.max_data_sources, await countSources(tx, reach), 'sources')
    await assertNamespaceFree(tx, reach, id, settings.app_namespace)
  }
  // So that nobody waits for a server that could not be added anyway.
  await ctx.sql.transact(reach.holderId, assertRoom)
  const checked = await checkHealth(ctx, serverOf(settings, token), neededTools(settings))
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const seal = token === undefined ? undefined : await lockCredentialSeal(ctx, tx, reach)
    await assertRoom(tx)
    const row = await insertSource(ctx, tx, reach, {
      id,
      provider: USER_MCP,
      name: input.name,
      mode,
      config: settings,
      secrets: token === undefined ? {} : { provider_credential: token },
      seal,
      checked: { ...stateAfter(ctx, 'active', checked), tool_pins: checked.tools ? pinsOf(checked.tools) : null },
    })
    const outcome = outcomeOf(row, checked.failure)
    await keepReply(ctx, tx, outcome)
    return outcome
  })
}

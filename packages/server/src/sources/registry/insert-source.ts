import type { Id, IngestionMode, SourceKind } from '@cairnstore/contract'
import type { JsonObject } from '../../db/json-object.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { ContentSeal } from '../../tenancy/caller-keys/content-seal.ts'
import { assertUnarchived, lockProject } from '../../tenancy/projects/store.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertBelow, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import { countSources } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { type GivenSecrets, keepSecrets, NO_SECRETS } from './provider-secrets.ts'
import { POLL_SECONDS_DEFAULT } from './store.ts'
import { newWebhookSlug } from './webhook-secret.ts'

/** What a source's row begins with. */
interface NewSource {
  id: Id<'source'>
  provider: string
  name: string
  mode: IngestionMode
  kind?: SourceKind
  accountId?: string | null
  config: JsonObject
  pollSeconds?: number | null
  secrets: GivenSecrets
  /** Under what the credential is kept. */
  seal: ContentSeal | undefined
  /** What a check of it has found. */
  checked?: Partial<Pick<Row<'source'>, 'status' | 'last_error' | 'next_poll_at' | 'tool_pins'>>
}

/**
 * Adds a source to the sandbox, its secrets first, and its audit event. For a caller whose grant is limited to a
 * project it is linked to that, since it could not be seen outside. Throws `sandbox_not_active`, `quota_exceeded` and
 * `project_archived`.
 */
export async function insertSource(
  ctx: Pick<Ctx, 'limits' | 'secrets'> & Recording,
  tx: Tx,
  reach: Reach,
  given: NewSource,
): Promise<Row<'source'>> {
  const { id, provider, mode } = given
  const place = { user_id: reach.holderId, sandbox_id: reach.sandboxId }
  const now = ctx.clock.now()
  const limits = await lockForGrowth(tx, reach, ctx.limits)
  assertBelow(limits.max_data_sources, await countSources(tx, reach), 'sources')
  const owner = { ...place, id, provider, ...NO_SECRETS }
  const refs = await keepSecrets(ctx.secrets, tx, owner, given.secrets, given.seal)
  const row = await tx
    .insertInto('source')
    .values({
      ...place,
      ...refs,
      ...given.checked,
      id,
      provider,
      name: given.name,
      ingestion_mode: mode,
      kind: given.kind ?? 'durable',
      external_account_id: given.accountId ?? null,
      adapter_config: given.config,
      poll_interval_seconds: given.pollSeconds ?? (mode === 'polling' ? POLL_SECONDS_DEFAULT : null),
      webhook_slug: mode === 'realtime' ? newWebhookSlug() : null,
      last_sync_at: null,
      last_seen_at: now,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (reach.projectId !== null) {
    assertUnarchived(await lockProject(tx, reach, reach.projectId))
    await tx
      .insertInto('project_source')
      .values({ ...place, source_id: id, project_id: reach.projectId })
      .execute()
  }
  await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: id })
  return row
}

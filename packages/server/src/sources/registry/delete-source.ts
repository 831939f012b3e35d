import type { Done } from '@cairnstore/contract'
import { sql } from 'kysely'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { assertMatches } from '../../db/versions.ts'
import { forgetFiles } from '../../ingest/files/note-files.ts'
import { type Recording, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { lockSource } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'
import { destroySecrets } from './provider-secrets.ts'

/**
 * Removes a source's registration, its links to projects and its secrets. Its records stay, also those that were
 * accepted and are not applied yet. Throws `sandbox_not_active`, and `forbidden` as `assertWithinGrant` does.
 */
export async function deleteSource(
  ctx: Pick<Ctx, 'ifMatch' | 'secrets' | 'sql'> & Recording,
  reach: Reach,
  sourceId: string,
): Promise<Done> {
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const source = await lockSource(tx, reach, sourceId, 'delete')
    assertWritable(reach)
    assertMatches(ctx.ifMatch, source.version)
    await assertWithinGrant(tx, reach, sourceId)
    await removeSource(ctx, tx, source)
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: sourceId })
    return { success: true, message: 'The source is deleted; what it fed stays.' }
  })
}

/** Someone limited to a project must not empty what other projects rest on. */
export async function assertWithinGrant(tx: Tx, reach: Reach, sourceId: string): Promise<void> {
  if (reach.projectId === null) return
  const other = await tx
    .selectFrom('project_source')
    .select('project_id')
    .where(ofSandbox(reach, { source_id: sourceId }))
    .where('project_id', '!=', reach.projectId)
    .executeTakeFirst()
  if (other) throw new Fault('forbidden', { detail: 'The source is linked to projects outside your grant.' })
}

/** Removes a source whose row is locked, with a tombstone in its place for its sender; counts what went with it. */
export async function removeSource(
  { clock, secrets }: Pick<Ctx, 'clock' | 'secrets'>,
  tx: Tx,
  source: Row<'source'>,
): Promise<Record<'source_secret' | 'project_source', number>> {
  const now = clock.now()
  const ofSource = { user_id: source.user_id, sandbox_id: source.sandbox_id, source_id: source.id }
  if (source.webhook_slug !== null) {
    await tx
      .insertInto('source_tombstone')
      .columns(['user_id', 'sandbox_id', 'source_id', 'webhook_slug', 'hash', 'deleted_at'])
      .expression(
        tx
          .selectFrom('source_secret')
          .select([
            'user_id',
            'sandbox_id',
            'source_id',
            sql<string>`${source.webhook_slug}`.as('webhook_slug'),
            'hash',
          ])
          .select(sql<Date>`${now}::timestamptz`.as('deleted_at'))
          .where(ofSandbox(ofSource, { source_id: ofSource.source_id }))
          .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', now)])),
      )
      .execute()
  }
  await destroySecrets(secrets, tx, source)
  await forgetFiles(tx, { userId: source.user_id, sandboxId: source.sandbox_id }, { source_id: source.id })
  const removed = { source_secret: 0, project_source: 0 }
  for (const table of ['source_secret', 'project_source'] as const) {
    const { numDeletedRows } = await tx
      .deleteFrom(table)
      .where(ofSandbox(ofSource, { source_id: ofSource.source_id }))
      .executeTakeFirst()
    removed[table] = Number(numDeletedRows)
  }
  await tx
    .deleteFrom('source')
    .where(ofSandbox(source, { id: source.id }))
    .execute()
  return removed
}

import type { Done } from '@cairnstore/contract'
import { MS_PER_DAY } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import { MS_PER_HOUR } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { assertMatches } from '../../db/versions.ts'
import { deleteFiles } from '../../ingest/files/store-files.ts'
import type { Planes } from '../../store/planes.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { lockSource, nextSourceState } from '../../tenancy/sources/source-rows.ts'
import type { SourcesCtx } from '../context.ts'
import { endUploadsOf } from '../import/stored/upload-rows.ts'
import { isOAuthSource } from '../oauth/authorization-view.ts'
import { findGrant } from '../oauth/consent-rows.ts'
import { discardTokens } from '../oauth/redeem-code.ts'
import { destroySecrets } from './store.ts'

/**
 * Deletes a source's registration, its links to projects and its secrets. Then revokes the tokens of its consent at
 * their authorization server. Its records remain, including those that are accepted but not yet applied. Throws
 * `sandbox_not_active`, and `forbidden` like `assertWithinGrant`.
 */
export async function deleteSource(
  ctx: Pick<SourcesCtx, 'ifMatch' | 'log' | 'oauth' | 'secrets' | 'sql'> & AuditContext,
  scope: AccessScope,
  sourceId: string,
): Promise<Done> {
  const place = { userId: scope.holderId, sandboxId: scope.sandboxId, sourceId }
  const grant = await ctx.sql.transact(scope.holderId, async (tx) => {
    const source = await lockSource(tx, scope, sourceId, 'delete')
    assertWritable(scope)
    assertMatches(ctx.ifMatch, source.version)
    await assertWithinGrant(tx, scope, sourceId)
    const grant = isOAuthSource(source) ? await findGrant(ctx.secrets, tx, place) : undefined
    await removeSource(ctx, tx, source)
    await recordEvent(ctx, tx, { holderId: scope.holderId, sandboxId: scope.sandboxId, subjectId: sourceId })
    return grant
  })
  if (grant) await discardTokens(ctx, place, grant.sealed, grant.sealed)
  return { success: true, message: 'The source is deleted; its records stay.' }
}

/** Throws `forbidden` if a caller limited to a project would change a source that other projects use. */
export async function assertWithinGrant(tx: Tx, scope: AccessScope, sourceId: string): Promise<void> {
  if (scope.projectId === null) return
  const other = await tx
    .selectFrom('project_source')
    .select('project_id')
    .where(ofSandbox(scope, { source_id: sourceId }))
    .where('project_id', '!=', scope.projectId)
    .executeTakeFirst()
  if (other) throw new Fault('forbidden', { detail: 'The source is linked to projects outside your grant.' })
}

/** Deletes a locked source and leaves a tombstone for its sender. Returns the number of deleted related rows. */
export async function removeSource(
  { clock, secrets }: Pick<SourcesCtx, 'clock' | 'secrets'>,
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
  await endUploadsOf(
    tx,
    { clock, secrets },
    { userId: source.user_id, sandboxId: source.sandbox_id },
    { sourceId: source.id },
  )
  await destroySecrets(secrets, tx, source)
  await deleteFiles(tx, { userId: source.user_id, sandboxId: source.sandbox_id }, { source_id: source.id })
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

/** Maximum number of rows per round. */
const ROWS_MAX = 500
/** States from which an idle source is archived. */
const ENDED = (['active', 'error'] as const).filter((state) => nextSourceState(state, 'idled') === 'archived')

/**
 * Archives ephemeral sources that were not called within their idle time. A call updates `last_seen_at` in the
 * transaction that stores its records, under the row's lock. The update here checks the time again under the same lock,
 * so a source is never archived after a call.
 */
export async function archiveIdleSources({ sql, clock, ephemeralIdleHours }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - ephemeralIdleHours * MS_PER_HOUR)
  const idle = await sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('source')
      .select(['user_id', 'sandbox_id', 'id'])
      .where('kind', '=', 'ephemeral')
      .where('status', 'in', ENDED)
      .where('last_seen_at', '<', cutoff)
      .limit(ROWS_MAX)
      .execute(),
  )
  for (const source of idle) {
    await sql.transact(source.user_id, (tx) =>
      tx
        .updateTable('source')
        .set({ status: 'archived', updated_at: clock.now() })
        .where(ofSandbox(source, { id: source.id, kind: 'ephemeral' }))
        .where('status', 'in', ENDED)
        .where('last_seen_at', '<', cutoff)
        .execute(),
    )
  }
}

/** Days for which the results of an import's files are stored. */
const FILES_KEPT_DAYS = 30
/** Maximum number of file rows deleted per round. */
const DROP_FILES_ROWS_MAX = 50_000

/** Deletes old results of imported files. */
export async function dropFiles({ sql: control, clock }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - FILES_KEPT_DAYS * MS_PER_DAY)
  await control.transact({ worker: true }, (tx) =>
    sql`delete from import_file where ctid = any (array(
      select ctid from import_file where noted_at < ${cutoff} order by noted_at limit ${DROP_FILES_ROWS_MAX}
    ))`.execute(tx),
  )
}

/** Days for which a delivery to a deleted source gets `gone`. After that its URL is unknown. */
const TOMBSTONE_DAYS = 30

/** Deletes old tombstones of sources. */
export async function dropTombstones({ sql, clock }: Planes): Promise<void> {
  const cutoff = new Date(clock.now().getTime() - TOMBSTONE_DAYS * MS_PER_DAY)
  const over = await sql.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('source_tombstone')
      .select(['user_id', 'sandbox_id', 'source_id'])
      .where('deleted_at', '<', cutoff)
      .limit(ROWS_MAX)
      .execute(),
  )
  for (const each of over) {
    await sql.transact(each.user_id, (tx) =>
      tx
        .deleteFrom('source_tombstone')
        .where(ofSandbox(each, { source_id: each.source_id }))
        .execute(),
    )
  }
}

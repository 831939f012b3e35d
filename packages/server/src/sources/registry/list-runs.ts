import type { Id, RunFilePage, RunPage, SourceRun } from '@cairnstore/contract'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { hasValues, ofSandbox } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { filesIn, firstFiles, IS_UNREAD, wireFile } from '../../ingest/files/store-files.ts'
import { IMPORT_JOB, type JobCounts, noCounts } from '../../ingest/inbox.ts'
import { jobsAfter, jobsInScope, positionOfJob } from '../../ingest/jobs.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { getSourceRow } from '../../tenancy/sources/source-rows.ts'
import type { SourcesCtx } from '../context.ts'

/** Returns one page of a source's runs, newest first. Throws `not_found` for a source outside the access scope. */
export async function listRuns(
  ctx: Pick<SourcesCtx, 'caller' | 'clock' | 'cursors' | 'key' | 'sql'>,
  scope: AccessScope,
  sourceId: string,
  pageQuery: PageRequest,
): Promise<RunPage> {
  const cursorScope = ['runs', ctx.caller.accountId, scope.sandboxId, scope.projectId, sourceId]
  const page = openPage(ctx.cursors, cursorScope, pageQuery)
  return ctx.sql.transact(scope.holderId, async (tx) => {
    await getSourceRow(tx, scope, sourceId)
    const query = jobsAfter(tx, scope, page, { source_id: sourceId }).where(await jobsInScope(tx, scope, sourceId))
    const { rows, end } = page.cut(await query.execute(), positionOfJob)
    const runs: SourceRun[] = []
    for (const row of rows) {
      const isImport = row.type === IMPORT_JOB
      const files = isImport
        ? await firstFiles(tx, scope, row.id, { max: FILES_SHOWN, seal: ctx.key?.seal })
        : undefined
      runs.push({ ...wireRun(row, ctx.clock.now()), ...(files && { files }) })
    }
    return { runs, ...end }
  })
}

/** Maximum number of files per run in a list. */
const FILES_SHOWN = 20

function wireRun(row: Row<'job'>, now: Date): SourceRun {
  const counts = { ...noCounts(), ...(row.result as Partial<JobCounts> | null) }
  const { received, written, removed, failed } = counts
  return {
    job_id: row.id as Id<'job'>,
    job_type: row.type,
    status: row.status,
    counts: { received, written, removed, failed },
    progress: progressOf(row, counts, now),
    error: row.error_message,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  }
}

/** Rates are rounded to a tenth. */
const TENTHS = 10

function progressOf(
  { started_at: startedAt, completed_at: endedAt }: Row<'job'>,
  { received, written, unchanged, removed, failed, open }: JobCounts,
  now: Date,
): SourceRun['progress'] {
  const done = written + unchanged + removed + failed
  const seconds = startedAt === null ? 0 : ((endedAt ?? now).getTime() - startedAt.getTime()) / MS_PER_SECOND
  const rate = seconds > 0 ? Math.round((done / seconds) * TENTHS) / TENTHS : null
  return { done, total: open ? null : received, records_per_second: rate }
}

interface RunFilesQuery extends PageRequest {
  unread?: boolean | undefined
}

/**
 * Returns one page of the files of a source's run, in their order of arrival, or only of those that were not read.
 * Throws `not_found` for a source outside the access scope, and for a job that is not a run of the source.
 */
export async function listRunFiles(
  ctx: Pick<SourcesCtx, 'caller' | 'cursors' | 'key' | 'sql'>,
  scope: AccessScope,
  { source_id: sourceId, job_id: jobId }: { source_id: string; job_id: string },
  { unread = false, ...pageQuery }: RunFilesQuery,
): Promise<RunFilePage> {
  const cursorScope = ['files', ctx.caller.accountId, scope.sandboxId, scope.projectId, sourceId, jobId, unread]
  const page = openPage(ctx.cursors, cursorScope, pageQuery)
  const found = await ctx.sql.transact(scope.holderId, async (tx) => {
    await getSourceRow(tx, scope, sourceId)
    const run = await tx
      .selectFrom('job')
      .select('id')
      .where(ofSandbox(scope, { id: jobId, source_id: sourceId }))
      .where(await jobsInScope(tx, scope, sourceId))
      .executeTakeFirst()
    if (!run) throw new Fault('not_found')
    let query = filesIn(tx, scope)
      .where(hasValues({ source_id: sourceId, job_id: jobId }))
      .orderBy('id')
      .limit(page.rowsMax)
    if (unread) query = query.where(IS_UNREAD)
    if (page.after) query = query.where('id', '>', Number(page.after[0]))
    return query.execute()
  })
  const { rows, end } = page.cut(found, ({ id }) => [id])
  return { files: rows.flatMap((row) => wireFile(row, ctx.key?.seal) ?? []), ...end }
}

import type { RunFilePage } from '@cairnstore/contract'
import { openPage, type PageAsked } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { filesIn, IS_UNREAD, wireFile } from '../../ingest/files/show-files.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { getSourceRow } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'

interface Listed extends PageAsked {
  unread?: boolean | undefined
}

/**
 * One page of the files that a run of a source brought, in the order in which they came, or of those that were not
 * read. Throws `not_found` for a source out of reach, and for what is no run of it.
 */
export async function listRunFiles(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'key' | 'sql'>,
  reach: Reach,
  { source_id: sourceId, job_id: jobId }: { source_id: string; job_id: string },
  { unread = false, ...asked }: Listed,
): Promise<RunFilePage> {
  const scope = ['files', ctx.caller.accountId, reach.sandboxId, reach.projectId, sourceId, jobId, unread]
  const page = openPage(ctx.cursors, scope, asked)
  const found = await ctx.sql.transact(reach.holderId, async (tx) => {
    await getSourceRow(tx, reach, sourceId)
    const run = await tx
      .selectFrom('job')
      .select('id')
      .where(ofSandbox(reach, { id: jobId, source_id: sourceId }))
      .executeTakeFirst()
    if (!run) throw new Fault('not_found')
    let query = filesIn(tx, reach)
      .where('source_id', '=', sourceId)
      .where('job_id', '=', jobId)
      .orderBy('id')
      .limit(page.rowsMax)
    if (unread) query = query.where(IS_UNREAD)
    if (page.after) query = query.where('id', '>', Number(page.after[0]))
    return query.execute()
  })
  const { rows, end } = page.cut(found, ({ id }) => [id])
  return { files: rows.flatMap((row) => wireFile(row, ctx.key?.seal) ?? []), ...end }
}

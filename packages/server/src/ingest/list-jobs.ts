import type { JobPage, JobState } from '@cairnstore/contract'
import { openPage, type Page, type PageAsked, type Position } from '../base/cursor.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { Ctx } from './context.ts'
import { wireJob } from './wire-job.ts'

interface Listed extends PageAsked {
  status?: JobState | undefined
}

/** One page of the sandbox's jobs, newest first; who is limited to a project sees those that came in within it. */
export async function listJobs(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'key' | 'sql'>,
  reach: Reach,
  { status, ...asked }: Listed,
): Promise<JobPage> {
  const scope = ['jobs', ctx.caller.accountId, reach.sandboxId, reach.projectId, status]
  const page = openPage(ctx.cursors, scope, asked)
  const found = await ctx.sql.transact(reach.holderId, (tx) => {
    let query = jobsAfter(tx, reach, page)
    if (reach.projectId !== null) query = query.where('project_id', '=', reach.projectId)
    if (status !== undefined) query = query.where('status', '=', status)
    return query.execute()
  })
  const { rows, end } = page.cut(found, placeOfJob)
  return { jobs: rows.map((row) => wireJob(row, reach, ctx.key?.seal)), ...end }
}

/** The sandbox's jobs behind what a page follows, newest first, of one source where its id is given. */
export function jobsAfter(tx: Tx, reach: Reach, { after, rowsMax }: Page, ids: { source_id?: string } = {}) {
  const query = tx
    .selectFrom('job')
    .selectAll()
    .where(ofSandbox(reach, ids))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
  if (!after) return query
  const [at, id] = [new Date(String(after[0])), String(after[1])]
  return query.where((is) => is.or([is('created_at', '<', at), is.and([is('created_at', '=', at), is('id', '<', id)])]))
}

/** Where a job stands in that order. */
export function placeOfJob({ created_at, id }: Row<'job'>): Position {
  return [created_at.toISOString(), id]
}

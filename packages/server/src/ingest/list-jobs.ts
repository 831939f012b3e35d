import type { JobPage, JobState } from '@cairn/contract'
import { openPage, type PageAsked } from '../base/cursor.ts'
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
    let query = tx
      .selectFrom('job')
      .selectAll()
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.rowsMax)
    if (reach.projectId !== null) query = query.where('project_id', '=', reach.projectId)
    if (status !== undefined) query = query.where('status', '=', status)
    if (page.after) {
      const [at, id] = [new Date(String(page.after[0])), String(page.after[1])]
      query = query.where((is) =>
        is.or([is('created_at', '<', at), is.and([is('created_at', '=', at), is('id', '<', id)])]),
      )
    }
    return query.execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.created_at.toISOString(), last.id])
  return { jobs: rows.map((row) => wireJob(row, ctx.key?.seal)), ...end }
}

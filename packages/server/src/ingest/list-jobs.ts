import type { JobPage, JobState } from '@cairn/contract'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { Ctx } from './context.ts'
import { wireJob } from './wire-job.ts'

interface Listed {
  status?: JobState | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const PAGE_ROWS = 1000

/** One page of the sandbox's jobs, newest first; who is limited to a project sees those that came in within it. */
export async function listJobs(
  ctx: Pick<Ctx, 'caller' | 'cursors' | 'key' | 'sql'>,
  reach: Reach,
  { status, cursor, limit = PAGE_ROWS }: Listed,
): Promise<JobPage> {
  const scope = JSON.stringify(['jobs', ctx.caller.accountId, reach.sandboxId, reach.projectId, status])
  const after = cursor === undefined ? undefined : ctx.cursors.unpack(scope, cursor)
  const rows = await ctx.sql.transact(reach.holderId, (tx) => {
    let query = tx
      .selectFrom('job')
      .selectAll()
      .where('user_id', '=', reach.holderId)
      .where('sandbox_id', '=', reach.sandboxId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (reach.projectId !== null) query = query.where('project_id', '=', reach.projectId)
    if (status !== undefined) query = query.where('status', '=', status)
    if (after) {
      const [at, id] = [new Date(String(after[0])), String(after[1])]
      query = query.where((is) =>
        is.or([is('created_at', '<', at), is.and([is('created_at', '=', at), is('id', '<', id)])]),
      )
    }
    return query.execute()
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const isMore = rows.length > limit && last !== undefined
  return {
    jobs: page.map((row) => wireJob(row, ctx.key?.seal)),
    count: page.length,
    ...(isMore && { next_cursor: ctx.cursors.pack(scope, [last.created_at.toISOString(), last.id]) }),
  }
}

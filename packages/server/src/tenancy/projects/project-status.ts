import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Ctx } from '../context.ts'
import type { Reach } from '../reach/reach.ts'

/** The project's status, or null when the sandbox has no such project. */
export async function projectStatus(
  ctx: Pick<Ctx, 'sql'>,
  reach: Reach,
  projectId: string,
): Promise<'active' | 'archived' | null> {
  const row = await ctx.sql.transact(reach.holderId, (tx) =>
    tx
      .selectFrom('project')
      .select('status')
      .where(ofSandbox(reach, { id: projectId }))
      .executeTakeFirst(),
  )
  return row?.status ?? null
}

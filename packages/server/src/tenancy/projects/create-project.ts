import type { CreateProject, Problem, Project } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { type Recording, recordEvent } from '../audit/record-event.ts'
import type { Ctx } from '../context.ts'
import { type Keeping, keepReply } from '../idempotency/keyed-request.ts'
import type { Reach } from '../reach/reach.ts'
import { assertBelow, assertWritable, lockForGrowth } from '../sandboxes/assert-writable.ts'
import { RETIRED } from '../sources/source-rows.ts'
import { wireProject } from './store.ts'

/** Ids in one statement: PostgreSQL takes at most 65 535 parameters, a link has four. */
const IDS_PER_STATEMENT = 5_000

/**
 * Creates a project with its first sources. Throws `unknown_source` for an id that is no live source of the sandbox,
 * `grant_limits` when the grant is limited to another project, `sandbox_not_active` and `quota_exceeded`.
 */
export async function createProject(
  ctx: Pick<Ctx, 'limits' | 'sql'> & Recording & Keeping,
  reach: Reach,
  input: CreateProject,
): Promise<Project> {
  if (reach.projectId !== null) throw new Fault('grant_limits')
  assertWritable(reach)
  const place = { user_id: reach.holderId, sandbox_id: reach.sandboxId }
  const id = newId('project', ctx.clock)
  const now = ctx.clock.now()
  const asked = input.data_source_ids ?? []
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const limits = await lockForGrowth(tx, reach, ctx.limits)
    await assertLive(tx, reach, asked)
    assertBelow(limits.max_projects, await countProjects(tx, reach), 'projects')
    const row = await tx
      .insertInto('project')
      .values({
        ...place,
        id,
        name: input.name,
        description: input.description ?? null,
        metadata: input.metadata ?? {},
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const sourceIds = [...new Set(asked)].sort()
    for (const ids of inParts(sourceIds)) {
      const links = ids.map((sourceId) => ({ ...place, project_id: id, source_id: sourceId }))
      await tx.insertInto('project_source').values(links).execute()
    }
    await recordEvent(ctx, tx, { holderId: reach.holderId, sandboxId: reach.sandboxId, subjectId: id })
    const project = wireProject(row, sourceIds)
    await keepReply(ctx, tx, project)
    return project
  })
}

async function countProjects(tx: Tx, reach: Reach): Promise<number> {
  const { count } = await tx
    .selectFrom('project')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(ofSandbox(reach))
    .executeTakeFirstOrThrow()
  return count
}

async function assertLive(tx: Tx, reach: Reach, asked: string[]): Promise<void> {
  const live = new Set<string>()
  for (const ids of inParts([...new Set(asked)])) {
    const rows = await tx
      .selectFrom('source')
      .select('id')
      .where(ofSandbox(reach))
      .where('id', 'in', ids)
      .where('status', 'not in', RETIRED)
      .forKeyShare()
      .execute()
    for (const { id } of rows) live.add(id)
  }
  const problems = asked.flatMap((id, at): Problem[] =>
    live.has(id)
      ? []
      : [{ loc: ['body', 'data_source_ids', at], msg: 'Not a live source of this sandbox.', type: 'unknown_source' }],
  )
  if (problems.length > 0) throw new Fault('unknown_source', { problems: problems.slice(0, PROBLEMS_MAX) })
}

/** Problems named in one reply. */
const PROBLEMS_MAX = 20

function inParts(ids: string[]): string[][] {
  const parts: string[][] = []
  for (let from = 0; from < ids.length; from += IDS_PER_STATEMENT) parts.push(ids.slice(from, from + IDS_PER_STATEMENT))
  return parts
}

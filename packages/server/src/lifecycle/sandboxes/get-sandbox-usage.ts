import type { Usage } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { headOf } from '../../db/head.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { measureHead } from '../../store/measure-head.ts'
import { sandboxRate } from '../../tenancy/limits/sandbox-rate.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { RETIRED } from '../../tenancy/sources/source-rows.ts'
import type { Ctx } from '../context.ts'

/** What the sandbox uses of its limits. Throws `grant_limits` to a grant that shows one project only. */
export async function getSandboxUsage(
  ctx: Pick<Ctx, 'knowledge' | 'limits' | 'rates' | 'sql'>,
  reach: Reach,
): Promise<Usage> {
  if (reach.projectId !== null) throw new Fault('grant_limits')
  const [counts, size, records, queries, reads, reading, rereading] = await Promise.all([
    countRows(ctx, reach),
    sizeOf(ctx, reach),
    ctx.rates.used(sandboxRate('records', reach, ctx.limits)),
    ctx.rates.used(sandboxRate('queries', reach, ctx.limits)),
    ctx.rates.used(sandboxRate('reads', reach, ctx.limits)),
    readingOf(ctx, reach),
    rereadingOf(ctx, reach),
  ])
  return {
    max_data_sources: counts.sources,
    max_projects: counts.projects,
    max_storage_bytes: size.bytes,
    max_records: size.records,
    ingest_records_per_minute: records,
    queries_per_minute: queries,
    reads_per_minute: reads,
    reading,
    rereading,
  }
}

async function countRows(
  ctx: Pick<Ctx, 'sql'>,
  { holderId, sandboxId }: Reach,
): Promise<{ sources: number; projects: number }> {
  return ctx.sql.transact(holderId, async (tx) => {
    const { sources } = await tx
      .selectFrom('source')
      .select((is) => is.fn.countAll<number>().as('sources'))
      .where(ofSandbox({ holderId, sandboxId }))
      .where('status', 'not in', RETIRED)
      .executeTakeFirstOrThrow()
    const { projects } = await tx
      .selectFrom('project')
      .select((is) => is.fn.countAll<number>().as('projects'))
      .where(ofSandbox({ holderId, sandboxId }))
      .executeTakeFirstOrThrow()
    return { sources, projects }
  })
}

/** How far records have been read; where every one has, the head says so, and no graph is opened. */
async function readingOf({ knowledge, sql }: Pick<Ctx, 'knowledge' | 'sql'>, reach: Reach): Promise<Usage['reading']> {
  const { space } = knowledge
  if (space === undefined) return { model: null, records: 0, waiting: 0 }
  const row = await headRowOf(sql, reach)
  const records = row.record_count
  const isDone = row.vectored_seq === row.seq && row.vector_space === space.key
  if (isDone && records !== null) return { model: space.model, records, waiting: 0 }
  const { done, all } = await knowledge.countRead({ userId: reach.holderId, sandboxId: reach.sandboxId }, headOf(row))
  return { model: space.model, records: done, waiting: all - done }
}

/** How many records an older program stored that are not read anew yet. */
async function rereadingOf(
  { knowledge, sql }: Pick<Ctx, 'knowledge' | 'sql'>,
  reach: Reach,
): Promise<Usage['rereading']> {
  const row = await headRowOf(sql, reach)
  if (row.reread_up_to === 0) return { waiting: 0 }
  const sandbox = { userId: reach.holderId, sandboxId: reach.sandboxId }
  return { waiting: await knowledge.countUpTo(sandbox, headOf(row), row.reread_up_to) }
}

function headRowOf(sql: Ctx['sql'], { holderId, sandboxId }: Reach): Promise<Row<'sandbox_head'>> {
  return sql.transact(holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .selectAll()
      .where(ofSandbox({ holderId, sandboxId }))
      .executeTakeFirstOrThrow(() => new Fault('not_found')),
  )
}

async function sizeOf(ctx: Pick<Ctx, 'knowledge' | 'sql'>, reach: Reach): Promise<{ records: number; bytes: number }> {
  const row = await headRowOf(ctx.sql, reach)
  const { record_count: records, content_bytes: bytes } = row
  if (records !== null && bytes !== null) return { records, bytes }
  const { store, head } = await ctx.knowledge.view({ userId: reach.holderId, sandboxId: reach.sandboxId }, headOf(row))
  return measureHead(store, head)
}

import type { SourceKind } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { assertWritable } from '../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from './context.ts'

/**
 * The source, ready to take records in. Throws not_found when the caller's scope has no such source, and
 * sandbox_not_active, and source_not_active while it is paused or when it is disconnected.
 */
export async function receivingSource(ctx: Pick<Ctx, 'sql'>, reach: Reach, sourceId: string): Promise<ReceivingSource> {
  const source = await ctx.sql.transact(reach.holderId, async (tx) => {
    const row = await tx
      .selectFrom('source')
      .select(['id', 'provider', 'kind', 'status'])
      .where(ofSandbox(reach, { id: sourceId }))
      .executeTakeFirst()
    if (!row || !reach.projectId) return row
    const link = await tx
      .selectFrom('project_source')
      .select('source_id')
      .where(ofSandbox(reach, { project_id: reach.projectId }))
      .where('source_id', '=', sourceId)
      .executeTakeFirst()
    return link && row
  })
  if (!source) throw new Fault('not_found')
  assertWritable(reach)
  if (source.status === 'paused' || source.status === 'disconnected') {
    throw new Fault('source_not_active', { detail: `The source is ${source.status}.` })
  }
  return source
}

/** The source that records come through, as far as receiving them needs it. */
export interface ReceivingSource {
  id: string
  provider: string
  kind: SourceKind
}

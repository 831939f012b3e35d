import type { SourceKind } from '@cairnstore/contract'
import type { Decision } from '@cairnstore/engine/resolve'
import { Fault } from '../base/fault.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Line } from '../tenancy/handler.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { assertWritable } from '../tenancy/sandboxes/assert-writable.ts'
import type { IngestCtx } from './context.ts'

/**
 * The source, ready to take records in. Throws not_found when the caller's scope has no such source, and
 * sandbox_not_active, and source_not_active while it is paused or when it is disconnected.
 */
export async function receivingSource(
  ctx: Pick<IngestCtx, 'sql'>,
  reach: Reach,
  sourceId: string,
): Promise<ReceivingSource> {
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

/** A line that says what a person decided of things of the records before it. */
export type DecidedLine = { line: number; decision: Decision }

/** So many more records are known to come. */
export interface ExpectedLine {
  line: number
  expected: number
}

/** A line with what is known of its record beyond what it says itself. */
export type ReceivedLine = (Line | DecidedLine | ExpectedLine) & {
  /** The source that it goes to in place of the delivery's. */
  source?: ReceivingSource | null
  isStorageOnly?: boolean
  /** It does not say when it happened, and has the moment at which it came in its place. */
  isTimeAssumed?: true
  /** The moment of its version at its source. */
  asOf?: string | undefined
  /** It was exported, and not as what the owner of its sandbox had sent: it is not theirs who bring it either. */
  isOfOther?: boolean
  /** The line is derived from stored records and is not part of the input. */
  isDerived?: true
}

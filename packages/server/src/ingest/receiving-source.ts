import type { SourceKind } from '@cairnstore/contract'
import type { Decision } from '@cairnstore/engine/resolve'
import { Fault } from '../base/fault.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { Line } from '../tenancy/handler.ts'
import { assertWritable } from '../tenancy/sandboxes/assert-writable.ts'
import type { IngestCtx } from './context.ts'

/** Returns the source if it can receive records. Throws `not_found`, `sandbox_not_active`, `source_not_active`. */
export async function receivingSource(
  ctx: Pick<IngestCtx, 'sql'>,
  access: AccessScope,
  sourceId: string,
): Promise<ReceivingSource> {
  const source = await ctx.sql.transact(access.holderId, async (tx) => {
    const row = await tx
      .selectFrom('source')
      .select(['id', 'provider', 'kind', 'status'])
      .where(ofSandbox(access, { id: sourceId }))
      .executeTakeFirst()
    if (!row || !access.projectId) return row
    const link = await tx
      .selectFrom('project_source')
      .select('source_id')
      .where(ofSandbox(access, { project_id: access.projectId }))
      .where('source_id', '=', sourceId)
      .executeTakeFirst()
    return link && row
  })
  if (!source) throw new Fault('not_found')
  assertWritable(access)
  if (source.status === 'paused' || source.status === 'disconnected') {
    throw new Fault('source_not_active', { detail: `The source is ${source.status}.` })
  }
  return source
}

/** The properties of a source that are needed to receive records. */
export interface ReceivingSource {
  id: string
  provider: string
  kind: SourceKind
}

/** A line with a user's decision about entities of earlier records. */
export type DecidedLine = { line: number; decision: Decision }

/** A line that announces that this many more records will follow. */
export interface ExpectedLine {
  line: number
  expected: number
}

/** A line with metadata of its record. */
export type ReceivedLine = (Line | DecidedLine | ExpectedLine) & {
  /** The source to use instead of the source of the delivery. */
  source?: ReceivingSource | null
  isStorageOnly?: boolean
  /** True if the record has no time of its own, so that the time of arrival is used. */
  isTimeAssumed?: true
  /** Time of this version at its source. */
  asOf?: string | undefined
  /** True if an exported record does not name the owner as its sender. The importing account is not its sender. */
  isOfOther?: boolean
  /** Id of the stored file from which the record was read. */
  original?: string | undefined
  /** True if the line is derived from stored records and is not part of the input. */
  isDerived?: true
}

import type { FailedRecord, RecordInput } from '@cairnstore/contract'
import type { Decision } from '@cairnstore/engine/resolve'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { projectStatus } from '../tenancy/projects/store.ts'
import type { IngestCtx } from './context.ts'
import type { Chunk, WaitingRecord } from './inbox.ts'
import type { DecidedLine, ExpectedLine, ReceivedLine, ReceivingSource } from './receiving-source.ts'
import { checkRecord, toRecordContent } from './to-record-content.ts'
import { withSender } from './with-sender.ts'

/** The destination of a line and how it is stored. */
interface DeliveryTarget {
  access: AccessScope
  projectId: string | null
  isStorageOnly?: boolean
}

/** Converts a line to a waiting record. If it is rejected, returns the failure. */
export async function toWaitingRecord(
  ctx: Pick<IngestCtx, 'caller' | 'sql'>,
  { access, projectId, isStorageOnly }: DeliveryTarget,
  line: Exclude<ReceivedLine, DecidedLine | ExpectedLine>,
  projects: Map<string, string | null>,
): Promise<WaitingRecord | FailedRecord> {
  const position = { line: line.line, ...(line.file !== undefined && { file: line.file }) }
  if ('error' in line) return { ...position, ...line.error }
  const problem = checkRecord(line.value)
  if (problem) return { ...position, ...problem }
  const input = line.value as RecordInput
  if (input.project_id) {
    const refusal = await projectRefusal(ctx, access, input.project_id, projects)
    if (refusal)
      return { ...position, external_id: input.external_id, reason: refusal, detail: PROJECT_REFUSALS[refusal] }
  }
  return {
    content: {
      ...withSender(toRecordContent(input), ctx, access, line),
      ...(line.asOf && { as_of: line.asOf }),
      ...((isStorageOnly || line.isStorageOnly) && { storage_only: true }),
    },
    projectId: input.project_id ?? projectId,
    deleted: input.deleted === true,
    ...(line.isTimeAssumed && { isTimeAssumed: true }),
    ...(line.original !== undefined && { original: line.original }),
    ...position,
  }
}

const PROJECT_REFUSALS = {
  unknown_project: 'project_id is not a project of this sandbox.',
  project_archived: 'The project is archived.',
}

async function projectRefusal(
  ctx: Pick<IngestCtx, 'sql'>,
  access: AccessScope,
  projectId: string,
  known: Map<string, string | null>,
) {
  if (access.projectId && access.projectId !== projectId) return 'unknown_project'
  if (!known.has(projectId)) known.set(projectId, await projectStatus(ctx, access, projectId))
  const status = known.get(projectId)
  if (!status) return 'unknown_project'
  return status === 'archived' ? 'project_archived' : undefined
}

/** Records for one source, or users' decisions about the entities of earlier records. */
export interface SourceChunk {
  source: ReceivingSource | null
  records: WaitingRecord[]
  decisions?: Decision[]
}

/** The part of a delivery that has not been stored yet. */
interface PendingChunks {
  readonly records: number
  /** Number of records and decisions. */
  readonly count: number
  /** True if it must be stored before more can be added. */
  readonly isFull: boolean
  add(source: ReceivingSource | null, record: WaitingRecord): void
  decide(decision: Decision): void
  /**
   * Returns all chunks. Decisions come last: inbox rows are applied in order, and decisions refer to earlier records.
   */
  chunks(): SourceChunk[]
}

/** Number of records per inbox row. A transaction stores this many, and a scheduler slot takes at least one row. */
export const CHUNK_RECORDS_MAX = 500
/** Maximum number of bytes per inbox row, so that storing it does not block the database for long. */
const CHUNK_BYTES_MAX = 1024 * 1024

export function createPendingChunks(): PendingChunks {
  const bySource = new Map<string | null, SourceChunk>()
  const decisions: Decision[] = []
  let records = 0
  let bytes = 0
  return {
    get records() {
      return records
    },
    get count() {
      return records + decisions.length
    },
    get isFull() {
      return records + decisions.length >= CHUNK_RECORDS_MAX || bytes >= CHUNK_BYTES_MAX
    },
    add: (source, record) => {
      const chunk = bySource.get(source?.id ?? null) ?? { source, records: [] }
      bySource.set(source?.id ?? null, chunk)
      chunk.records.push(record)
      records += 1
      bytes += (record.content.text?.length ?? 0) + (record.content.title?.length ?? 0)
    },
    decide: (decision) => {
      decisions.push(decision)
      bytes += JSON.stringify(decision).length
    },
    chunks: () => [...bySource.values(), ...(decisions.length > 0 ? [{ source: null, records: [], decisions }] : [])],
  }
}

/** Returns the chunk for the inbox. `within` is the project that the caller is limited to, or null. */
export function chunkFor(within: string | null, { source, records, decisions }: SourceChunk): Chunk {
  const provider = source?.provider ?? ''
  return { provider, records, ...(decisions && { decisions }), ...(within !== null && { within }) }
}

import type { FailedRecord, RecordInput } from '@cairnstore/contract'
import type { Decision } from '@cairnstore/engine/resolve'
import { projectStatus } from '../tenancy/projects/store.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { IngestCtx } from './context.ts'
import type { Chunk, WaitingRecord } from './inbox.ts'
import type { DecidedLine, ExpectedLine, ReceivedLine, ReceivingSource } from './receiving-source.ts'
import { checkRecord, toRecordContent } from './to-record-content.ts'
import { withSender } from './with-sender.ts'

/** Where a line is brought, and how it is to be kept. */
interface BroughtInto {
  reach: Reach
  projectId: string | null
  isStorageOnly?: boolean
}

/** A line as it waits to be applied, or why it is not taken. */
export async function toWaiting(
  ctx: Pick<IngestCtx, 'caller' | 'sql'>,
  { reach, projectId, isStorageOnly }: BroughtInto,
  line: Exclude<ReceivedLine, DecidedLine | ExpectedLine>,
  projects: Map<string, string | null>,
): Promise<WaitingRecord | FailedRecord> {
  const place = { line: line.line, ...(line.file !== undefined && { file: line.file }) }
  if ('error' in line) return { ...place, ...line.error }
  const problem = checkRecord(line.value)
  if (problem) return { ...place, ...problem }
  const input = line.value as RecordInput
  if (input.project_id) {
    const refusal = await projectRefusal(ctx, reach, input.project_id, projects)
    if (refusal) return { ...place, external_id: input.external_id, reason: refusal, detail: PROJECT_REFUSALS[refusal] }
  }
  return {
    content: {
      ...withSender(toRecordContent(input), ctx, reach, line),
      ...(line.asOf && { as_of: line.asOf }),
      ...((isStorageOnly || line.isStorageOnly) && { storage_only: true }),
    },
    projectId: input.project_id ?? projectId,
    deleted: input.deleted === true,
    ...(line.isTimeAssumed && { isTimeAssumed: true }),
    ...place,
  }
}

const PROJECT_REFUSALS = {
  unknown_project: 'project_id is not a project of this sandbox.',
  project_archived: 'The project is archived.',
}

async function projectRefusal(
  ctx: Pick<IngestCtx, 'sql'>,
  reach: Reach,
  projectId: string,
  known: Map<string, string | null>,
) {
  if (reach.projectId && reach.projectId !== projectId) return 'unknown_project'
  if (!known.has(projectId)) known.set(projectId, await projectStatus(ctx, reach, projectId))
  const status = known.get(projectId)
  if (!status) return 'unknown_project'
  return status === 'archived' ? 'project_archived' : undefined
}

/** Records that go to one source, or what people decided of the things of those before. */
export interface SourceChunk {
  source: ReceivingSource | null
  records: WaitingRecord[]
  decisions?: Decision[]
}

/** What has come of a delivery and is not stored yet. */
interface Pending {
  readonly records: number
  /** Records and decisions. */
  readonly count: number
  /** No more is to come before it is stored. */
  readonly isFull: boolean
  add(source: ReceivingSource | null, record: WaitingRecord): void
  decide(decision: Decision): void
  /** All of it; decisions last, since rows of the inbox are applied in order and they are on what came before. */
  chunks(): SourceChunk[]
}

/** Records of one inbox row: what a transaction stores at once and a turn of the applier takes at least. */
export const CHUNK_RECORDS_MAX = 500
/** Bytes of one inbox row, so that storing it never blocks the database for long. */
const CHUNK_BYTES_MAX = 1024 * 1024

/** Nothing yet. */
export function createPending(): Pending {
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

/** The chunk as the inbox keeps it, for a caller who may be limited to the project `within`. */
export function chunkFor(within: string | null, { source, records, decisions }: SourceChunk): Chunk {
  const provider = source?.provider ?? ''
  return { provider, records, ...(decisions && { decisions }), ...(within !== null && { within }) }
}

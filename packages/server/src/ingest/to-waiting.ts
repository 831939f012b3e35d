import type { FailedRecord, RecordInput } from '@cairnstore/contract'
import { projectStatus } from '../tenancy/projects/store.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { Ctx } from './context.ts'
import type { WaitingRecord } from './inbox.ts'
import type { DecidedLine, ExpectedLine, ReceivedLine } from './received-line.ts'
import { checkRecord } from './record-check.ts'
import { toRecordContent } from './to-record-content.ts'
import { withSender } from './with-sender.ts'

/** Where a line is brought, and how it is to be kept. */
interface BroughtInto {
  reach: Reach
  projectId: string | null
  isStorageOnly?: boolean
}

/** A line as it waits to be applied, or why it is not taken. */
export async function toWaiting(
  ctx: Pick<Ctx, 'caller' | 'sql'>,
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
  ctx: Pick<Ctx, 'sql'>,
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

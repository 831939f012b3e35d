import { Fault } from '../base/fault.ts'
import { projectStatus } from '../tenancy/projects/store.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { assertWritable } from '../tenancy/sandboxes/assert-writable.ts'
import type { Receiving } from './receive.ts'
import { type ReceivingSource, receivingSource } from './receiving-source.ts'

/**
 * Where texts go: the source that they came through, if any, and the project that they belong to, which is that of a
 * grant that is limited to one. Throws `not_found` for a source or project out of reach, `project_archived`,
 * `source_not_active` and `sandbox_not_active`.
 */
export async function textPlace(
  ctx: Pick<Receiving, 'sql'>,
  reach: Reach,
  given: { project_id?: string | null; data_source_id?: string | null },
): Promise<{ source: ReceivingSource | null; projectId: string | null }> {
  assertWritable(reach)
  const projectId = given.project_id ?? reach.projectId
  if (reach.projectId && projectId !== reach.projectId) throw new Fault('not_found')
  if (projectId) {
    const status = await projectStatus(ctx, reach, projectId)
    if (!status) throw new Fault('not_found', { detail: 'project_id is not a project of this sandbox.' })
    if (status === 'archived') throw new Fault('project_archived')
  }
  return { source: given.data_source_id ? await receivingSource(ctx, reach, given.data_source_id) : null, projectId }
}

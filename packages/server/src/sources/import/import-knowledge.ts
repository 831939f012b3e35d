import type { Accepted, ImportQuery, Job } from '@cairnstore/contract'
import { Fault, invalid } from '../../base/fault.ts'
import type { Receiving } from '../../ingest/receive.ts'
import { receivingSource } from '../../ingest/receiving-source.ts'
import type { BodyReading, Lines, Reply, Upload } from '../../tenancy/handler.ts'
import { projectStatus } from '../../tenancy/projects/project-status.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Ctx } from '../context.ts'
import { type Opened, withUpload } from './open-upload.ts'
import { takeJson } from './take-json.ts'
import { takeLines } from './take-lines.ts'
import { takeUpload } from './take-upload.ts'

/** An import as it came, in one of the three forms of body. */
interface Import {
  query: ImportQuery
  body: unknown
  lines: Lines | undefined
  upload: Upload | undefined
  reading: BodyReading
  waitSeconds: number
}

/**
 * Takes an export in: finds out what it is, reads records out of it and receives them like any others. Throws
 * `unknown_format` for what is none, and the faults of its source, its project, its archive and of receiving. What is
 * uploaded and takes long is read on after the reply.
 */
export async function importKnowledge(
  ctx: Receiving & Pick<Ctx, 'caller' | 'knowledge' | 'recognisers' | 'spools'>,
  reach: Reach,
  { query, body, lines, upload, reading, waitSeconds }: Import,
): Promise<Reply<Accepted | Job>> {
  assertWritable(reach)
  const projectId = await projectOf(ctx, reach, query.project_id)
  const given = query.data_source_id ? await receivingSource(ctx, reach, query.data_source_id) : undefined
  if (query.sync && !(upload && (query.data_source_id || query.source_name))) {
    throw invalid(['query', 'sync'], SYNC_NEEDS)
  }
  const target = { ctx, reach, query, waitSeconds, given, projectId }
  if (upload) {
    const coming = { accountId: ctx.caller.accountId, upload }
    // A long upload is read on after its reply, and then stays spooled until that has ended.
    return new Promise((accept, reject) => {
      const take = (opened: Opened) => takeUpload({ ...target, accept }, opened, reading)
      withUpload(ctx.spools, coming, take).then(accept, reject)
    })
  }
  return lines ? takeLines(target, lines) : takeJson(target, body)
}

const SYNC_NEEDS = 'This takes files, and the source that they are the whole of: data_source_id or source_name.'

/** The project of what names none: the one that was given, else the one that the grant is limited to. */
async function projectOf(ctx: Pick<Ctx, 'sql'>, reach: Reach, given: string | undefined): Promise<string | null> {
  const projectId = given ?? reach.projectId
  if (projectId === null) return null
  if (reach.projectId && projectId !== reach.projectId) throw new Fault('not_found')
  const status = await projectStatus(ctx, reach, projectId)
  if (!status) throw new Fault('not_found', { detail: 'project_id is not a project of this sandbox.' })
  if (status === 'archived') throw new Fault('project_archived')
  return projectId
}

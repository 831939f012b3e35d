import type { ImportedFile } from '@cairnstore/contract'
import { sql } from 'kysely'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { REFUSALS, type RefusalReason } from '../../documents/document.ts'
import type { ContentSeal } from '../../tenancy/caller-keys/content-seal.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { placeOf } from './note-files.ts'

type FileRow = Row<'import_file'>

/** Why a file holds nothing that is read here, so that it is left out and has not failed. */
const LEFT_OUT: ReadonlySet<string> = new Set<RefusalReason>([
  'unsupported_file',
  'file_too_large',
  'file_encrypted',
  'no_text',
  'not_recognised',
  'under_callers_key',
  'empty_file',
])

/** A file as the contract shows it; undefined where its path is under a key that is not here. */
export function wireFile(row: FileRow, seal: ContentSeal | undefined): ImportedFile | undefined {
  const path = pathOf(row, seal)
  if (path === undefined) return undefined
  const { reason, records } = row
  return { path, status: statusOf(row), ...(reason !== null && { reason }), records }
}

function statusOf({ reason, records, unchanged }: FileRow): ImportedFile['status'] {
  if (reason !== null && LEFT_OUT.has(reason) && records === 0) return 'left_out'
  // What is cut off is not read, whatever came of it before; of a mailbox one mail may be wrong.
  if (reason !== null && (records === 0 || reason in REFUSALS)) return 'failed'
  return records > 0 && unchanged === records ? 'unchanged' : 'read'
}

/** The path of a file; undefined where it is under a key that is not here. */
export function pathOf({ job_id: jobId, path, sealed }: FileRow, seal: ContentSeal | undefined): string | undefined {
  if (sealed === null) return path ?? undefined
  return seal?.open(placeOf(jobId), sealed).toString()
}

/** Of which files nothing was read, or not all. */
export const IS_UNREAD = sql<boolean>`reason is not null and (records = 0 or reason = any(${Object.keys(REFUSALS)}))`

/** The files that the reach shows: who is limited to a project sees no paths of imports for another one. */
export function filesIn(tx: Tx, reach: Reach) {
  const files = tx.selectFrom('import_file').selectAll().where(ofSandbox(reach))
  if (reach.projectId === null) return files
  const { projectId } = reach
  return files.where((is) => is.or([is('project_id', 'is', null), is('project_id', '=', projectId)]))
}

/** The first files of a job: those that were not read, then others, each in the order in which they came. */
export async function firstFiles(
  tx: Tx,
  reach: Reach,
  jobId: string,
  { max, seal }: { max: number; seal: ContentSeal | undefined },
): Promise<ImportedFile[] | undefined> {
  const ofJob = filesIn(tx, reach).where('job_id', '=', jobId).orderBy('id').limit(max)
  const unread = await ofJob.where(IS_UNREAD).execute()
  const known = new Set(unread.map(({ id }) => id))
  const first = unread.length < max ? await ofJob.execute() : []
  const rows = [...unread, ...first.filter(({ id }) => !known.has(id))].slice(0, max)
  const shown = rows.flatMap((row) => wireFile(row, seal) ?? [])
  return shown.length > 0 ? shown : undefined
}

import type { ImportedFile } from '@cairnstore/contract'
import { type KeyHash, plainKeyHash } from '@cairnstore/engine/text'
import { sql } from 'kysely'
import { batchesOf } from '../../base/batches.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { REFUSALS, type RefusalReason } from '../../documents/document.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Batch, IncomingRecord } from '../batch-shape.ts'

/** Files that an import has read since the last write, by path. */
export type IncomingFiles = Map<string, IncomingFile>

interface IncomingFile {
  records: number
  /** Error code if the file could not be read or was read only partly. */
  reason: string | null
}

/** Maximum number of files that are stored per import and per source. An archive contains no more. */
const FILES_MAX = 100_000
/** Number of files per INSERT. */
export const FILES_PER_WRITE = 500

/** Counts a record of a file. With `reason`, stores why no more records follow. */
export function countFile(files: IncomingFiles, path: string, reason?: string): void {
  const file = files.get(path) ?? { records: 0, reason: null }
  if (reason === undefined) file.records += 1
  else file.reason ??= reason
  files.set(path, file)
}

interface FileJob extends SandboxRef {
  id: string
  sourceId: string | null
}

/** Stores the progress of files in the transaction. If there is a customer-managed key, paths are encrypted. */
export async function storeFiles(
  tx: Tx,
  job: FileJob,
  files: IncomingFiles,
  { seal, projectId, at }: { seal: ContentCipher | undefined; projectId: string | null; at: Date },
): Promise<void> {
  const { sourceId } = job
  if (files.size === 0 || sourceId === null) return
  const hash = seal?.hash ?? plainKeyHash
  const rows = [...files].slice(0, FILES_MAX).map(([path, { records, reason }]) => ({
    ...sandboxColumns(job),
    job_id: job.id,
    source_id: sourceId,
    project_id: projectId,
    path_key: keyOf(hash, path),
    path: seal ? null : path,
    sealed: seal ? seal.encrypt(associatedDataOf(job.id), Buffer.from(path)) : null,
    reason,
    records,
    noted_at: at,
  }))
  for (const batch of batchesOf(rows, FILES_PER_WRITE)) {
    await tx
      .insertInto('import_file')
      .values(batch)
      .onConflict((on) =>
        on.columns(['user_id', 'sandbox_id', 'job_id', 'path_key']).doUpdateSet({
          records: sql`import_file.records + excluded.records`,
          reason: sql`coalesce(import_file.reason, excluded.reason)`,
        }),
      )
      .execute()
  }
}

/** Deletes the oldest files of the job's source if there are more than FILES_MAX. Called once per import. */
export async function deleteOldestFiles(tx: Tx, { userId, sandboxId, sourceId }: FileJob): Promise<void> {
  if (sourceId === null) return
  const ofSource = ofSandbox({ userId, sandboxId }, { source_id: sourceId })
  const newest = tx.selectFrom('import_file').select('id').where(ofSource).orderBy('id', 'desc')
  await tx.deleteFrom('import_file').where(ofSource).where('id', '<=', newest.offset(FILES_MAX).limit(1)).execute()
}

/** Updates the files of a job with the outcomes of their records that were applied. */
export async function countAppliedFiles(
  tx: Tx,
  job: SandboxRef & { id: string },
  incoming: readonly IncomingRecord[],
  { unchanged, refused }: Pick<Batch, 'unchanged' | 'refused'>,
  hash: KeyHash,
): Promise<void> {
  const files = new Map<number, { same: number; refused: number; reason: string | null }>()
  for (const record of incoming) {
    const reason = refused.get(record)
    if (record.file === undefined || (reason === undefined && !unchanged.has(record))) continue
    const key = keyOf(hash, record.file)
    const file = files.get(key) ?? { same: 0, refused: 0, reason: null }
    if (reason === undefined) file.same += 1
    else file.refused += 1
    file.reason ??= reason ?? null
    files.set(key, file)
  }
  if (files.size === 0) return
  const counted = [...files.values()]
  await sql`
    update import_file set unchanged = unchanged + counted.same, records = records - counted.refused,
      reason = coalesce(import_file.reason, counted.reason)
    from unnest(${[...files.keys()]}::bigint[], ${counted.map(({ same }) => same)}::int[],
      ${counted.map((each) => each.refused)}::int[], ${counted.map(({ reason }) => reason)}::text[])
      as counted (path_key, same, refused, reason)
    where user_id = ${job.userId} and sandbox_id = ${job.sandboxId} and job_id = ${job.id}
      and import_file.path_key = counted.path_key`.execute(tx)
}

/** Deletes the files of an erased source. When the key for their paths changes, deletes all files of the sandbox. */
export async function deleteFiles(tx: Tx, sandbox: SandboxRef, ids: { source_id?: string } = {}): Promise<void> {
  const { userId, sandboxId } = sandbox
  await tx.deleteFrom('import_file').where(ofSandbox({ userId, sandboxId }, ids)).execute()
}

function keyOf(hash: KeyHash, path: string): number {
  return hash(`file/${path}`)
}

/** Returns the AES-GCM associated data for a file's path. */
export function associatedDataOf(jobId: string): string {
  return `files/${jobId}`
}

type FileRow = Row<'import_file'>

/** Reasons for which a file counts as skipped and not as failed. */
const SKIPPED_REASONS: ReadonlySet<string> = new Set<RefusalReason>([
  'unsupported_file',
  'file_too_large',
  'file_encrypted',
  'no_text',
  'not_recognised',
  'under_callers_key',
  'empty_file',
])

/** Returns a file in the API's format. Undefined if its path is encrypted and the key is not available. */
export function wireFile(row: FileRow, cipher: ContentCipher | undefined): ImportedFile | undefined {
  const path = pathOf(row, cipher)
  if (path === undefined) return undefined
  const { reason, records } = row
  return { path, status: statusOf(row), ...(reason !== null && { reason }), records }
}

function statusOf({ reason, records, unchanged }: FileRow): ImportedFile['status'] {
  if (reason !== null && SKIPPED_REASONS.has(reason) && records === 0) return 'left_out'
  // A truncated or unreadable file has failed, even if some records were read. A mailbox with one invalid message has
  // not.
  if (reason !== null && (records === 0 || reason in REFUSALS)) return 'failed'
  return records > 0 && unchanged === records ? 'unchanged' : 'read'
}

/** Returns the path of a file. Undefined if it is encrypted and the key is not available. */
export function pathOf(
  { job_id: jobId, path, sealed }: FileRow,
  cipher: ContentCipher | undefined,
): string | undefined {
  if (sealed === null) return path ?? undefined
  return cipher?.decrypt(associatedDataOf(jobId), sealed).toString()
}

/** Condition for files that were not read, or were read only partly. */
export const IS_UNREAD = sql<boolean>`reason is not null and (records = 0 or reason = any(${Object.keys(REFUSALS)}))`

/** Selects the files in the access scope. A scope limited to a project excludes imports for other projects. */
export function filesIn(tx: Tx, access: AccessScope) {
  const files = tx.selectFrom('import_file').selectAll().where(ofSandbox(access))
  if (access.projectId === null) return files
  const { projectId } = access
  return files.where((is) => is.or([is('project_id', 'is', null), is('project_id', '=', projectId)]))
}

/** Returns the first files of a job in order of arrival: unread files, then the others. */
export async function firstFiles(
  tx: Tx,
  access: AccessScope,
  jobId: string,
  { max, seal }: { max: number; seal: ContentCipher | undefined },
): Promise<ImportedFile[] | undefined> {
  const ofJob = filesIn(tx, access).where('job_id', '=', jobId).orderBy('id').limit(max)
  const unread = await ofJob.where(IS_UNREAD).execute()
  const known = new Set(unread.map(({ id }) => id))
  const first = unread.length < max ? await ofJob.execute() : []
  const rows = [...unread, ...first.filter(({ id }) => !known.has(id))].slice(0, max)
  const shown = rows.flatMap((row) => wireFile(row, seal) ?? [])
  return shown.length > 0 ? shown : undefined
}

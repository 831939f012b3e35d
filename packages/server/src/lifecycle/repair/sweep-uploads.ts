import { ofSandbox } from '../../db/of-sandbox.ts'
import { jobOfPart } from '../../sources/import/kept/stored-upload.ts'
import type { UnreadStore } from '../../store/knowledge.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'

/**
 * Deletes upload parts without an import in the database. An import with missing parts fails when it is resumed, and
 * its error says what to do.
 */
export async function sweepUploads({ sql }: Planes, sandbox: SandboxRef, store: UnreadStore): Promise<void> {
  const uploads = await sql.transact(sandbox.userId, (tx) =>
    tx.selectFrom('import_upload').select('job_id').where(ofSandbox(sandbox)).execute(),
  )
  const known = new Set(uploads.map((upload) => upload.job_id))
  await store.removeUploadParts((name) => !known.has(jobOfPart(name)))
}

import { ofSandbox } from '../../db/of-sandbox.ts'
import { jobOfPart } from '../../sources/import/stored/stored-upload.ts'
import type { MaintenanceStore } from '../../store/knowledge.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'

/**
 * Deletes upload parts without an import in the database. An import with missing parts fails when it is resumed, and
 * its error says what to do.
 */
export async function sweepUploads({ sql }: Planes, sandbox: SandboxRef, store: MaintenanceStore): Promise<void> {
  const uploads = await sql.transact(sandbox.userId, (tx) =>
    tx.selectFrom('import_upload').select('job_id').where(ofSandbox(sandbox)).execute(),
  )
  const jobIds = new Set(uploads.map((upload) => upload.job_id))
  await store.removeUploadParts((name) => !jobIds.has(jobOfPart(name)))
}

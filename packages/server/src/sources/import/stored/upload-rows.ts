import { sql } from 'kysely'
import { Fault } from '../../../base/fault.ts'
import { ofSandbox } from '../../../db/of-sandbox.ts'
import type { Tx } from '../../../db/open.ts'
import type { Row } from '../../../db/tables.ts'
import { INTERRUPTED_MESSAGE, interruptJob } from '../../../ingest/inbox.ts'
import type { Planes } from '../../../store/planes.ts'
import type { SandboxRef } from '../../../tenancy/sandboxes/assert-writable.ts'
import type { SecretStore } from '../../../tenancy/secrets/secret-store.ts'

/** Identifies a stored upload by its import's job. */
export interface UploadRef extends SandboxRef {
  readonly jobId: string
}

/** Maximum total size and number of one account's stored uploads, in addition to its sandboxes' quota. */
const BYTES_MAX = 4 * 1024 * 1024 * 1024
const UPLOADS_MAX = 100
/** Duration of an upload's lease in milliseconds. It is renewed after a third of this. */
export const LEASE_MS = 60_000

/** Returns the name of the secret with an upload's key, for a sandbox without a customer-managed key. */
export function keyRef(jobId: string): string {
  return `import/${jobId}/upload`
}

export function refOf(row: Pick<Row<'import_upload'>, 'user_id' | 'sandbox_id' | 'job_id'>): UploadRef {
  return { userId: row.user_id, sandboxId: row.sandbox_id, jobId: row.job_id }
}

/** Returns a query condition for the row of an upload. */
export function ofUpload({ userId, sandboxId, jobId }: UploadRef) {
  return ofSandbox({ userId, sandboxId }, { job_id: jobId })
}

/** Throws `rate_limited` if the upload would exceed the account's limits on stored uploads. */
export async function assertUploadQuota(tx: Tx, userId: string, bytes: number): Promise<void> {
  const { uploads, stored } = await tx
    .selectFrom('import_upload')
    .select([sql<number>`count(*)`.as('uploads'), sql<number>`coalesce(sum(bytes), 0)::bigint`.as('stored')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  if (uploads >= UPLOADS_MAX || stored + bytes > BYTES_MAX) throw new Fault('rate_limited')
}

/** Ends an upload and destroys its key. The resumer's next sweep removes its parts. */
export async function endUpload(tx: Tx, secrets: SecretStore, ref: UploadRef): Promise<void> {
  await secrets.destroy(tx, ref, keyRef(ref.jobId))
  await tx
    .updateTable('import_upload')
    .set({ state: 'over', key_box: null, manifest: Buffer.alloc(0), lease_until: null, owner: null })
    .set((is) => ({ epoch: is('epoch', '+', 1) }))
    .where(ofUpload(ref))
    .execute()
}

/** Ends the running imports into a source that is deleted or purged. `cancelled` is the message for their jobs. */
export async function endUploadsOf(
  tx: Tx,
  { secrets, clock }: Pick<Planes, 'secrets' | 'clock'>,
  { userId, sandboxId }: SandboxRef,
  { sourceId, cancelled }: { sourceId: string; cancelled?: string },
): Promise<void> {
  const uploads = await tx
    .selectFrom('import_upload')
    .select('job_id')
    .where(ofSandbox({ userId, sandboxId }, { source_id: sourceId }))
    .where('state', '!=', 'over')
    .forUpdate()
    .execute()
  for (const { job_id: jobId } of uploads) {
    await endUpload(tx, secrets, { userId, sandboxId, jobId })
    await interruptJob(tx, { userId, sandboxId, id: jobId }, {}, INTERRUPTED_MESSAGE, clock.now())
    if (cancelled === undefined) continue
    await tx
      .updateTable('job')
      .set({ status: 'cancelled', error_message: cancelled })
      .where(ofSandbox({ userId, sandboxId }, { id: jobId, status: 'failed' }))
      .execute()
  }
}

/** Returns a query for the due uploads: those without a lease or with an expired one. */
export function dueUploads(tx: Tx, now: Date) {
  return tx
    .selectFrom('import_upload')
    .select(['user_id', 'sandbox_id', 'job_id'])
    .where('not_before', '<=', now)
    .where((is) => is.or([is('lease_until', 'is', null), is('lease_until', '<=', now)]))
}

/** Clears the upload leases of a dead process. Without `owner`, clears all leases. */
export async function clearUploadLeases({ sql: control }: Pick<Planes, 'sql'>, owner?: string): Promise<void> {
  const left = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('import_upload')
      .select(['user_id', 'sandbox_id', 'job_id'])
      .where('lease_until', 'is not', null)
      .where((is) => (owner === undefined ? is.lit(true) : is('owner', '=', owner)))
      .execute(),
  )
  for (const row of left) {
    await control.transact(row.user_id, (tx) =>
      tx
        .updateTable('import_upload')
        .set({ lease_until: null })
        .where(ofUpload(refOf(row)))
        .execute(),
    )
  }
}

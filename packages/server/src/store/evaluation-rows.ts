import { sql } from 'kysely'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { KeyChange } from '../tenancy/caller-keys/content-cipher.ts'
import type { Planes } from '../tenancy/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { answerRetentionStart } from './answer-rows.ts'

/** Maximum number of evaluations that one DELETE of the cleanup job removes. */
const DROP_ROWS_MAX = 100
/** Number of questions per batch of re-encryption. */
const ROWS_PER_BATCH = 500

/** Returns the AES-GCM associated data for a question of an evaluation. */
export function questionAssociatedData(jobId: string, position: number): string {
  return `evaluations/${jobId}/${position}`
}

/** Deletes questions that expect or cite one of these records, in the transaction that removes the records. */
export async function deleteQuestionsOf(tx: Tx, sandbox: SandboxRef, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  const { userId, sandboxId } = sandbox
  await sql`
    delete from evaluation_question
    where user_id = ${userId} and sandbox_id = ${sandboxId} and (job_id, position) in (
      select job_id, position from evaluation_record
      where user_id = ${userId} and sandbox_id = ${sandboxId}
        and record_id in (select jsonb_array_elements_text(${JSON.stringify(recordIds)}::text::jsonb))
    )`.execute(tx)
}

/** Re-encrypts the evaluations of a sandbox under its new key. */
export async function reencryptEvaluations(tx: Tx, sandbox: SandboxRef, { before, after }: KeyChange): Promise<void> {
  for (let [jobId, position] = ['', 0]; ; ) {
    const rows = await tx
      .selectFrom('evaluation_question')
      .select(['job_id', 'position', 'content'])
      .where(ofSandbox(sandbox))
      .where((is) =>
        is.or([is('job_id', '>', jobId), is.and([is('job_id', '=', jobId), is('position', '>', position)])]),
      )
      .orderBy('job_id')
      .orderBy('position')
      .limit(ROWS_PER_BATCH)
      .execute()
    for (const row of rows) {
      ;[jobId, position] = [row.job_id, row.position]
      const place = questionAssociatedData(jobId, position)
      await tx
        .updateTable('evaluation_question')
        .set({ content: after.encrypt(place, before.decrypt(place, row.content)) })
        .where(ofSandbox(sandbox, { job_id: jobId, position }))
        .execute()
    }
    if (rows.length < ROWS_PER_BATCH) return
  }
}

/** Deletes evaluations that are older than the retention period of answers. */
export async function deleteExpiredEvaluations(planes: Pick<Planes, 'clock' | 'answerDays' | 'sql'>): Promise<void> {
  await planes.sql.transact({ worker: true }, (tx) =>
    sql`delete from evaluation where ctid = any (array(
      select ctid from evaluation where created_at <= ${answerRetentionStart(planes)}
      order by created_at limit ${DROP_ROWS_MAX}
    ))`.execute(tx),
  )
}

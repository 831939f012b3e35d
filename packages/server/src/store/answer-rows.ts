import { sql } from 'kysely'
import { MS_PER_DAY } from '../base/clock.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { KeyChange } from '../tenancy/caller-keys/content-cipher.ts'
import type { Planes } from '../tenancy/planes.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'

/** Maximum number of answers that one DELETE of the cleanup job removes. */
const DROP_ROWS_MAX = 5_000

/** Returns the AES-GCM associated data for an answer. */
export function answerAssociatedData(answerId: string): string {
  return `answers/${answerId}`
}

/** Returns the AES-GCM associated data for a person's feedback on an answer. */
export function feedbackAssociatedData(answerId: string, personId: string): string {
  return `${answerAssociatedData(answerId)}/feedback/${personId}`
}

/** Deletes the answers that cite these records. Removes the records from the retrieval lists of other answers. */
export async function deleteAnswersOf(tx: Tx, sandbox: SandboxRef, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  const { userId, sandboxId } = sandbox
  await sql`
    with of_records as (
      delete from answer_record
      where user_id = ${userId} and sandbox_id = ${sandboxId}
        and record_id in (select jsonb_array_elements_text(${JSON.stringify(recordIds)}::text::jsonb))
      returning answer_id, is_cited
    )
    delete from answer
    where user_id = ${userId} and sandbox_id = ${sandboxId}
      and id in (select answer_id from of_records where is_cited)`.execute(tx)
}

/** Re-encrypts the answers and the feedback of a sandbox under its new key. */
export async function reencryptAnswers(tx: Tx, sandbox: SandboxRef, { before, after }: KeyChange): Promise<void> {
  const reencrypt = (place: string, content: Buffer) => after.encrypt(place, before.decrypt(place, content))
  const answers = await tx.selectFrom('answer').select(['id', 'content']).where(ofSandbox(sandbox)).execute()
  for (const { id, content } of answers) {
    const change = { content: reencrypt(answerAssociatedData(id), content) }
    await tx.updateTable('answer').set(change).where(ofSandbox(sandbox, { id })).execute()
  }
  const feedback = tx.selectFrom('answer_feedback').select(['answer_id', 'person_id', 'content'])
  for (const { content, ...key } of await feedback.where(ofSandbox(sandbox)).execute()) {
    const change = { content: reencrypt(feedbackAssociatedData(key.answer_id, key.person_id), content) }
    await tx.updateTable('answer_feedback').set(change).where(ofSandbox(sandbox, key)).execute()
  }
}

/** Returns the start of the retention period. Older answers are deleted. */
export function answerRetentionStart({ clock, answerDays }: Pick<Planes, 'clock' | 'answerDays'>): Date {
  return new Date(clock.now().getTime() - answerDays * MS_PER_DAY)
}

/** Deletes up to DROP_ROWS_MAX answers that are past their retention period. */
export async function deleteExpiredAnswers(planes: Pick<Planes, 'clock' | 'answerDays' | 'sql'>): Promise<void> {
  await planes.sql.transact({ worker: true }, (tx) =>
    sql`delete from answer where ctid = any (array(
      select ctid from answer where created_at <= ${answerRetentionStart(planes)}
      order by created_at limit ${DROP_ROWS_MAX}
    ))`.execute(tx),
  )
}

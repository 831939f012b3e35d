import type { AnswerOutcome, AnswerPage, AnswerSummary, Done, Id, StoredAnswer } from '@cairnstore/contract'
import { MS_PER_DAY } from '../../base/clock.ts'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { answerRetentionStart } from '../../store/answer-rows.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { AnswerCtx } from '../context.ts'
import { assertQueryable } from '../read-intent.ts'
import { feedbackOf } from './feedback.ts'
import { type AnswerReading, type AnswerRow, answersOf, contentOf, readableAnswer } from './readable-answer.ts'
import { holdsAll, personOf, seesAnswersOf } from './stored-answer.ts'

/** Returns one page of the caller's answers whose cited records are all in the caller's access scope. */
export async function listAnswers(ctx: AnswerReading, access: AccessScope, asked: PageRequest): Promise<AnswerPage> {
  const person = personOf(ctx, access)
  const page = openPage(ctx.cursors, ['answers', person, access.sandboxId], asked)
  const { snapshot, view } = await openSnapshot(ctx, access, null)
  const found = await ctx.sql.transact(access.holderId, (tx) => {
    const query = answersOf(ctx, tx, access).where('asker_id', '=', person).orderBy('id', 'desc').limit(page.rowsMax)
    return (page.after ? query.where('id', '<', String(page.after[0])) : query).execute()
  })
  const { rows, end } = page.cut(found, (last) => [last.id])
  const answers = rows.filter(
    (row) => seesAnswersOf(access, row.project_id) && holdsAll(view.graph, snapshot.scope, row.cited),
  )
  return { answers: answers.map((row) => summaryOf(ctx, row)), ...end, count: answers.length }
}

/** Returns an answer that the caller may read. Throws `not_found`. */
export async function getAnswer(ctx: AnswerReading, access: AccessScope, answerId: string): Promise<StoredAnswer> {
  const row = await readableAnswer(ctx, access, answerId)
  const { query: _, ...content } = contentOf(ctx, row)
  const feedback = await feedbackOf(ctx, access, answerId)
  return {
    ...summaryOf(ctx, row),
    asked_by: row.asker_id,
    answer: content.answer,
    citations: [...content.citations],
    ...(content.statements && { statements: [...content.statements] }),
    ...(content.written_by !== undefined && { written_by: content.written_by }),
    ...(content.settings && { settings: content.settings }),
    ...(feedback && { feedback }),
  }
}

function summaryOf(ctx: Pick<AnswerCtx, 'answerDays' | 'key'>, row: AnswerRow): AnswerSummary {
  return {
    answer_id: row.id as Id<'answer'>,
    query: contentOf(ctx, row).query,
    outcome: row.outcome as AnswerOutcome,
    project_id: row.project_id,
    shared: row.shared_at !== null,
    created_at: row.created_at.toISOString(),
    expires_at: new Date(row.created_at.getTime() + ctx.answerDays * MS_PER_DAY).toISOString(),
  }
}

/** Deletes the caller's answer and its feedback. Throws `not_found` for another user's answer. */
export async function deleteAnswer(
  ctx: Pick<AnswerCtx, 'caller' | 'sql'> & AuditContext,
  access: AccessScope,
  answerId: string,
): Promise<Done> {
  await ctx.sql.transact(access.holderId, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('answer')
      .where(ofSandbox(access, { id: answerId }))
      .where('asker_id', '=', ctx.caller.accountId)
      .executeTakeFirst()
    if (numDeletedRows !== 1n) throw new Fault('not_found')
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: answerId })
  })
  return { success: true, message: 'The answer is deleted, with the feedback on it.' }
}

/** Shares the caller's answer or stops sharing it. Throws `not_found`, and `sandbox_not_active` for sharing. */
export async function shareAnswer(
  ctx: Pick<AnswerCtx, 'answerDays' | 'caller' | 'clock' | 'sql'> & AuditContext,
  access: AccessScope,
  answerId: string,
  isShared: boolean,
): Promise<Done> {
  if (isShared) assertQueryable(access)
  await ctx.sql.transact(access.holderId, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('answer')
      .set({ shared_at: isShared ? ctx.clock.now() : null })
      .where(ofSandbox(access, { id: answerId }))
      .where('asker_id', '=', ctx.caller.accountId)
      .where('created_at', '>', answerRetentionStart(ctx))
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) throw new Fault('not_found')
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: answerId })
  })
  const message = isShared ? 'Members of the account can read the answer.' : 'Only you can read the answer.'
  return { success: true, message }
}

import type { Feedback, GiveFeedback, Id, Verdict } from '@cairnstore/contract'
import { invalid } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Row } from '../../db/tables.ts'
import { feedbackAssociatedData } from '../../store/answer-rows.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { AnswerCtx } from '../context.ts'
import { assertQueryable } from '../read-intent.ts'
import { type AnswerReading, readableAnswer } from './readable-answer.ts'
import { decodeStored, encodeStored, personOf } from './stored-answer.ts'

interface FeedbackContent {
  readonly note: string | null
  readonly expected: readonly string[]
}

/**
 * Stores the caller's feedback on an answer and replaces earlier feedback. Throws `not_found` for an answer that the
 * caller may not read, and `validation_error` for an expected record outside the caller's access scope.
 */
export async function giveFeedback(
  ctx: AnswerReading & AuditContext,
  access: AccessScope,
  answerId: string,
  { verdict, note = null, expected_record_ids: given }: GiveFeedback,
): Promise<Feedback> {
  assertQueryable(access)
  await readableAnswer(ctx, access, answerId)
  const expected = [...new Set(given ?? [])]
  const { snapshot, view } = await openSnapshot(ctx, access, null)
  const unknown = expected.findIndex((id) => !view.graph.hasRecord(id, snapshot.scope))
  if (unknown >= 0) {
    const loc = ['body', 'expected_record_ids', unknown]
    throw invalid(loc, 'No such record in your access scope. Send ids of records that you can read.')
  }
  const { accountId } = ctx.caller
  const key = {
    ...sandboxColumns(access),
    answer_id: answerId,
    person_id: accountId,
  }
  const content: FeedbackContent = { note: note === '' ? null : note, expected }
  const feedback = {
    id: newId('answer', ctx.clock),
    verdict,
    content: encodeStored(content, feedbackAssociatedData(answerId, accountId), ctx.key?.seal),
    created_at: ctx.clock.now(),
  }
  await ctx.sql.transact(access.holderId, async (tx) => {
    await tx
      .insertInto('answer_feedback')
      .values({ ...key, ...feedback })
      .onConflict((is) => is.columns(['user_id', 'sandbox_id', 'answer_id', 'person_id']).doUpdateSet(feedback))
      .execute()
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: answerId })
  })
  return wireFeedback(ctx, { ...key, ...feedback })
}

export async function feedbackOf(
  ctx: Pick<AnswerCtx, 'caller' | 'isAsUser' | 'key' | 'sql'>,
  access: AccessScope,
  answerId: string,
): Promise<Feedback | undefined> {
  const row = await ctx.sql.transact(access.holderId, (tx) =>
    tx
      .selectFrom('answer_feedback')
      .selectAll()
      .where(ofSandbox(access))
      .where('answer_id', '=', answerId)
      .where('person_id', '=', personOf(ctx, access))
      .executeTakeFirst(),
  )
  return row && wireFeedback(ctx, row)
}

export function wireFeedback({ key }: Pick<AnswerCtx, 'key'>, row: Row<'answer_feedback'>): Feedback {
  const place = feedbackAssociatedData(row.answer_id, row.person_id)
  const { note, expected } = decodeStored<FeedbackContent>(row.content, place, key?.seal)
  return {
    answer_id: row.answer_id as Id<'answer'>,
    user_id: row.person_id,
    verdict: row.verdict as Verdict,
    note,
    expected_record_ids: [...expected],
    created_at: row.created_at.toISOString(),
  }
}

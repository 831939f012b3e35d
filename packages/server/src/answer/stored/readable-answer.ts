import { sql } from 'kysely'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { answerAssociatedData, answerRetentionStart } from '../../store/answer-rows.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { AnswerCtx } from '../context.ts'
import { type AnswerContent, decodeStored, holdsAll, personOf, seesAnswersOf } from './stored-answer.ts'

/** The request context that reading answers needs. */
export type AnswerReading = Pick<
  AnswerCtx,
  'answerDays' | 'caller' | 'clock' | 'cursors' | 'isAsUser' | 'key' | 'knowledge' | 'sql'
>

/** An answer with the ids of its cited records. */
export type AnswerRow = Row<'answer'> & { cited: string[] }

/**
 * Returns the row of an answer that the caller may read: their own or a shared one. A shared answer is visible to the
 * account that owns the sandbox and to its members. Throws `not_found` for any other answer. Also throws it if a cited
 * record or the answer's project is outside the caller's access scope.
 */
export async function readableAnswer(ctx: AnswerReading, access: AccessScope, answerId: string): Promise<AnswerRow> {
  const person = personOf(ctx, access)
  const row = await ctx.sql.transact(access.holderId, (tx) =>
    answersOf(ctx, tx, access).where('id', '=', answerId).executeTakeFirst(),
  )
  const isMember = person === access.holderId || ctx.caller.member?.tenantId === access.holderId
  const isTheirs = row?.asker_id === person || (row?.shared_at != null && isMember)
  if (!row || !isTheirs || !seesAnswersOf(access, row.project_id)) throw new Fault('not_found')
  const { snapshot, view } = await openSnapshot(ctx, access, null)
  if (!holdsAll(view.graph, snapshot.scope, row.cited)) throw new Fault('not_found')
  return row
}

/** Selects the answers of a sandbox that have not expired. */
export function answersOf(ctx: Pick<AnswerCtx, 'answerDays' | 'clock'>, tx: Tx, access: AccessScope) {
  const cited = sql<string[]>`coalesce((
    select jsonb_agg(record_id) from answer_record r
    where r.user_id = answer.user_id and r.sandbox_id = answer.sandbox_id and r.answer_id = answer.id and r.is_cited
  ), '[]'::jsonb)`
  return tx
    .selectFrom('answer')
    .selectAll()
    .select(cited.as('cited'))
    .where(ofSandbox(access))
    .where('created_at', '>', answerRetentionStart(ctx))
}

export function contentOf({ key }: Pick<AnswerCtx, 'key'>, { id, content }: Pick<AnswerRow, 'id' | 'content'>) {
  return decodeStored<AnswerContent>(content, answerAssociatedData(id), key?.seal)
}

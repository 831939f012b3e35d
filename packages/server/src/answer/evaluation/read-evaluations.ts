import type {
  Done,
  Evaluation,
  EvaluationPage,
  EvaluationResult,
  EvaluationSummary,
  Grade,
  Id,
} from '@cairnstore/contract'
import { sql } from 'kysely'
import { MS_PER_DAY } from '../../base/clock.ts'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { answerRetentionStart } from '../../store/answer-rows.ts'
import { questionAssociatedData } from '../../store/evaluation-rows.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import type { AnswerCtx } from '../context.ts'
import type { AnswerReading } from '../stored/readable-answer.ts'
import { decodeStored, holdsAll, personOf, seesAnswersOf } from '../stored/stored-answer.ts'
import { evaluationsWithJobs, type QuestionContent, settingsOf, type Totals, totalsOf } from './evaluation-row.ts'

/** An evaluation with the state of its job. */
type EvaluationRow = Row<'evaluation'> & Pick<Row<'job'>, 'status' | 'error_message' | 'started_at' | 'completed_at'>

export async function listEvaluations(
  ctx: AnswerReading,
  access: AccessScope,
  asked: PageRequest,
): Promise<EvaluationPage> {
  const person = personOf(ctx, access)
  const page = openPage(ctx.cursors, ['evaluations', person, access.sandboxId], asked)
  const { found, totals } = await ctx.sql.transact(access.holderId, async (tx) => {
    const query = evaluationsOf(ctx, tx, access, person).orderBy('evaluation.job_id', 'desc').limit(page.rowsMax)
    const rows = await (page.after ? query.where('evaluation.job_id', '<', String(page.after[0])) : query).execute()
    const ids = rows.map(({ job_id: jobId }) => jobId)
    return { found: rows, totals: await totalsOf(tx, placeOf(access), ids) }
  })
  const { rows, end } = page.cut(found, (last) => [last.job_id])
  const shown = rows.filter(({ project_id: projectId }) => seesAnswersOf(access, projectId))
  const evaluations = shown.map((row) => summaryOf(ctx, row, totals.get(row.job_id)!))
  return { evaluations, ...end, count: evaluations.length }
}

/** Returns an evaluation of the caller, with the questions whose records the caller may read. Throws `not_found`. */
export async function getEvaluation(ctx: AnswerReading, access: AccessScope, jobId: string): Promise<Evaluation> {
  const person = personOf(ctx, access)
  const { row, totals, questions } = await ctx.sql.transact(access.holderId, async (tx) => {
    const found = await evaluationsOf(ctx, tx, access, person).where('evaluation.job_id', '=', jobId).executeTakeFirst()
    if (!found || !seesAnswersOf(access, found.project_id)) throw new Fault('not_found')
    return {
      row: found,
      totals: await totalsOf(tx, placeOf(access), [jobId]),
      questions: await questionsOf(tx, access, jobId),
    }
  })
  const { snapshot, view } = await openSnapshot(ctx, access, null)
  const shown = questions.filter(({ records }) => holdsAll(view.graph, snapshot.scope, records))
  const results = shown.map(({ position, grade, content }): EvaluationResult => {
    const place = questionAssociatedData(jobId, position)
    return {
      position,
      grade: grade as Grade | null,
      ...decodeStored<QuestionContent>(content, place, ctx.key?.seal),
    }
  })
  return { ...summaryOf(ctx, row, totals.get(jobId)!), results }
}

/** Deletes an evaluation of the caller, and cancels its job if it is unfinished. Throws `not_found`. */
export async function deleteEvaluation(
  ctx: Pick<AnswerCtx, 'caller' | 'clock' | 'sql'> & AuditContext,
  access: AccessScope,
  jobId: string,
): Promise<Done> {
  await ctx.sql.transact(access.holderId, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('evaluation')
      .where(ofSandbox(access, { job_id: jobId }))
      .where('asker_id', '=', ctx.caller.accountId)
      .executeTakeFirst()
    if (numDeletedRows !== 1n) throw new Fault('not_found')
    await tx
      .updateTable('job')
      .set({ status: 'cancelled', completed_at: ctx.clock.now(), error_message: null })
      .where(ofSandbox(access, { id: jobId }))
      .where('status', 'in', ['queued', 'processing'])
      .execute()
    await recordEvent(ctx, tx, { holderId: access.holderId, sandboxId: access.sandboxId, subjectId: jobId })
  })
  return { success: true, message: 'The evaluation is deleted, with its questions and answers.' }
}

function placeOf({ holderId, sandboxId }: AccessScope) {
  return { userId: holderId, sandboxId }
}

/** Selects the evaluations of an account that have not expired. */
function evaluationsOf(ctx: Pick<AnswerCtx, 'answerDays' | 'clock'>, tx: Tx, access: AccessScope, person: string) {
  return evaluationsWithJobs(tx)
    .selectAll('evaluation')
    .select(['job.status', 'job.error_message', 'job.started_at', 'job.completed_at'])
    .where('evaluation.user_id', '=', access.holderId)
    .where('evaluation.sandbox_id', '=', access.sandboxId)
    .where('evaluation.asker_id', '=', person)
    .where('evaluation.created_at', '>', answerRetentionStart(ctx))
}

function questionsOf(tx: Tx, access: AccessScope, jobId: string) {
  const records = sql<string[]>`coalesce((
    select jsonb_agg(record_id) from evaluation_record r
    where r.user_id = evaluation_question.user_id and r.sandbox_id = evaluation_question.sandbox_id
      and r.job_id = evaluation_question.job_id and r.position = evaluation_question.position
  ), '[]'::jsonb)`
  return tx
    .selectFrom('evaluation_question')
    .select(['position', 'grade', 'content'])
    .select(records.as('records'))
    .where(ofSandbox(access, { job_id: jobId }))
    .orderBy('position')
    .execute()
}

function summaryOf(
  { answerDays }: Pick<AnswerCtx, 'answerDays'>,
  row: EvaluationRow,
  { asked, stored, counts, statements, unsupported }: Totals,
): EvaluationSummary {
  return {
    evaluation_id: row.job_id as Id<'job'>,
    status: row.status,
    error_message: row.error_message,
    settings: settingsOf(row),
    questions: row.questions,
    asked,
    erased: row.questions - stored,
    counts,
    statements,
    unsupported,
    writer: row.writer,
    judge: row.judge,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
    expires_at: new Date(row.created_at.getTime() + answerDays * MS_PER_DAY).toISOString(),
  }
}

import type { EvaluationQuestion, EvaluationResult, EvaluationSettings, Grade } from '@cairnstore/contract'
import type { ExpressionBuilder } from 'kysely'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row, Tables } from '../../db/tables.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'

export const EVALUATION_JOB = 'evaluation'

export function evaluationsWithJobs(tx: Tx) {
  return tx
    .selectFrom('evaluation')
    .innerJoin('job', (join) =>
      join
        .onRef('job.user_id', '=', 'evaluation.user_id')
        .onRef('job.sandbox_id', '=', 'evaluation.sandbox_id')
        .onRef('job.id', '=', 'evaluation.job_id'),
    )
}

export interface EvaluationRef extends SandboxRef {
  readonly jobId: string
}

/** A stored question, with its answer once it has been asked. */
export type QuestionContent = EvaluationQuestion & Partial<Omit<EvaluationResult, 'position' | 'grade'>>

export function settingsOf({ settings }: Pick<Row<'evaluation'>, 'settings'>): EvaluationSettings {
  return settings as EvaluationSettings
}

/** Returns a query condition for the rows of an evaluation. */
export function ofEvaluation({ userId, sandboxId, jobId }: EvaluationRef) {
  return ofSandbox({ userId, sandboxId }, { job_id: jobId })
}

/** Selects the evaluations that have questions left and are due. */
export function dueEvaluations(tx: Tx, now: Date) {
  return tx.selectFrom('evaluation').where(isDue(now))
}

/** Returns a query condition for evaluations that are due and that no process has claimed. */
export function isDue(now: Date) {
  return (is: ExpressionBuilder<Tables, 'evaluation'>) =>
    is.and([
      is('evaluation.not_before', '<=', now),
      is.or([is('evaluation.lease_until', 'is', null), is('evaluation.lease_until', '<=', now)]),
    ])
}

/** Totals of an evaluation's questions. */
export interface Totals {
  readonly asked: number
  /** Number of stored questions, including those that were not asked yet. */
  readonly stored: number
  readonly counts: Readonly<Record<Grade, number>>
  readonly statements: number
  readonly unsupported: number
}

const NO_COUNTS = { right: 0, partly: 0, wrong: 0, rightly_unanswered: 0, wrongly_unanswered: 0, ungraded: 0 }

export async function totalsOf(tx: Tx, sandbox: SandboxRef, jobIds: readonly string[]): Promise<Map<string, Totals>> {
  const totals = new Map(
    jobIds.map((id) => [id, { asked: 0, stored: 0, counts: { ...NO_COUNTS }, statements: 0, unsupported: 0 }]),
  )
  if (jobIds.length === 0) return totals
  const rows = await tx
    .selectFrom('evaluation_question')
    .select((is) => [
      'job_id',
      'grade',
      is.fn.countAll<number>().as('count'),
      is.fn.sum<string>('statements').as('statements'),
      is.fn.sum<string>('unsupported').as('unsupported'),
    ])
    .where(ofSandbox(sandbox))
    .where('job_id', 'in', jobIds)
    .groupBy(['job_id', 'grade'])
    .execute()
  for (const { job_id: jobId, grade, count, statements, unsupported } of rows) {
    const total = totals.get(jobId)!
    total.stored += count
    if (grade === null) continue
    total.asked += count
    total.counts[grade as Grade] += count
    total.statements += Number(statements)
    total.unsupported += Number(unsupported)
  }
  return totals
}

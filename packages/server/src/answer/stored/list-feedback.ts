import type { AnswerOutcome, FeedbackEntry, FeedbackPage, Id, Verdict } from '@cairnstore/contract'
import { sql } from 'kysely'
import { openPage, type PageRequest } from '../../base/cursor.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { answerRetentionStart } from '../../store/answer-rows.ts'
import { openSnapshot, type ReadSnapshot } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { AnswerCtx } from '../context.ts'
import { wireFeedback } from './feedback.ts'
import { type AnswerReading, contentOf } from './readable-answer.ts'
import { holdsAll, seesAnswersOf } from './stored-answer.ts'

/** Number of rows per query of an export. The next constant is the maximum number of rows of an export. */
const EXPORT_PAGE = 500
const EXPORT_MAX = 10_000

/** Feedback with its answer and the answer's records as `[id, rank, is cited]`. */
type FeedbackRow = Row<'answer_feedback'> & {
  asked_at: Date
  project_id: string | null
  outcome: string
  answer_content: Buffer
  records: [id: string, rank: number, isCited: boolean][]
}

/** Returns one page of the feedback on answers whose records are all in the caller's access scope. */
export async function listFeedback(
  ctx: AnswerReading,
  access: AccessScope,
  { verdict, ...asked }: PageRequest & { verdict?: Verdict },
): Promise<FeedbackPage> {
  const scope = ['feedback', ctx.caller.accountId, access.sandboxId, verdict ?? null]
  const page = openPage(ctx.cursors, scope, asked)
  const verdicts = verdict ? [verdict] : null
  const found = await readFeedback(ctx, access, { verdicts, after: page.after?.[0], limit: page.rowsMax })
  const { rows, end } = page.cut(found, (last) => [last.id])
  const feedback = shownTo(ctx, access, await openSnapshot(ctx, access, null), rows)
  return { feedback, ...end, count: feedback.length }
}

/** Returns the questions whose answers were partly right or wrong, as CSV (RFC 4180). */
export async function exportQuestions(ctx: AnswerReading, access: AccessScope): Promise<string> {
  const opened = await openSnapshot(ctx, access, null)
  const lines = [['question', 'expected', 'record', 'unanswerable', 'verdict', 'note']]
  let after: string | undefined
  for (let read = 0; read < EXPORT_MAX; read += EXPORT_PAGE) {
    const rows = await readFeedback(ctx, access, { verdicts: ['partly', 'wrong'], after, limit: EXPORT_PAGE })
    for (const { query, verdict, note, expected_record_ids: ids } of shownTo(ctx, access, opened, rows)) {
      lines.push([query, '', ids.join(' '), '', verdict, note ?? ''])
    }
    after = rows.at(-1)?.id
    if (rows.length < EXPORT_PAGE) break
  }
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

/** Matches a text that a spreadsheet program would treat as a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** Quotes a CSV cell. A cell that a spreadsheet program would treat as a formula gets a leading apostrophe. */
export function csvCell(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

interface FeedbackAsked {
  verdicts: readonly Verdict[] | null
  /** Id of the last row of the previous page. */
  after: unknown
  limit: number
}

function readFeedback(ctx: AnswerReading, access: AccessScope, asked: FeedbackAsked): Promise<FeedbackRow[]> {
  return ctx.sql.transact(access.holderId, (tx) => feedbackRows(ctx, tx, access, asked).execute())
}

function feedbackRows(
  ctx: Pick<AnswerCtx, 'answerDays' | 'clock'>,
  tx: Tx,
  { holderId, sandboxId }: AccessScope,
  { verdicts, after, limit }: FeedbackAsked,
) {
  const records = sql<FeedbackRow['records']>`coalesce((
    select jsonb_agg(jsonb_build_array(record_id, rank, is_cited) order by rank = 0, rank, record_id)
    from answer_record r
    where r.user_id = answer.user_id and r.sandbox_id = answer.sandbox_id and r.answer_id = answer.id
  ), '[]'::jsonb)`
  let query = tx
    .selectFrom('answer_feedback')
    .innerJoin('answer', (join) =>
      join
        .onRef('answer.user_id', '=', 'answer_feedback.user_id')
        .onRef('answer.sandbox_id', '=', 'answer_feedback.sandbox_id')
        .onRef('answer.id', '=', 'answer_feedback.answer_id'),
    )
    .selectAll('answer_feedback')
    .select([
      'answer.created_at as asked_at',
      'answer.project_id',
      'answer.outcome',
      'answer.content as answer_content',
    ])
    .select(records.as('records'))
    .where('answer_feedback.user_id', '=', holderId)
    .where('answer_feedback.sandbox_id', '=', sandboxId)
    .where('answer.created_at', '>', answerRetentionStart(ctx))
    .orderBy('answer_feedback.id', 'desc')
    .limit(limit)
  if (verdicts) query = query.where('answer_feedback.verdict', 'in', verdicts)
  return after === undefined ? query : query.where('answer_feedback.id', '<', String(after))
}

/** Returns the entries whose records are all in scope. Expected records outside the scope are left out. */
function shownTo(
  ctx: Pick<AnswerCtx, 'key'>,
  access: AccessScope,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  rows: readonly FeedbackRow[],
): FeedbackEntry[] {
  const isIn = (id: string) => view.graph.hasRecord(id, snapshot.scope)
  const shown = rows.filter((row) => {
    const ids = row.records.map(([id]) => id)
    return seesAnswersOf(access, row.project_id) && holdsAll(view.graph, snapshot.scope, ids)
  })
  return shown.map((row) => {
    const { query, answer } = contentOf(ctx, { id: row.answer_id, content: row.answer_content })
    const feedback = wireFeedback(ctx, row)
    return {
      ...feedback,
      expected_record_ids: feedback.expected_record_ids.filter(isIn),
      query,
      outcome: row.outcome as AnswerOutcome,
      answer,
      asked_at: row.asked_at.toISOString(),
      retrieved: row.records.flatMap(([id, rank, cited]) =>
        rank === 0 ? [] : [{ record_id: id as Id<'record'>, rank, cited }],
      ),
    }
  })
}

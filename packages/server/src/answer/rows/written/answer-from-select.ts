import { randomBytes } from 'node:crypto'
import type { Citation } from '@cairnstore/engine/answer'
import type { Ground } from '../../../store/ground.ts'
import type { SandboxView } from '../../../store/sandbox-view.ts'
import type { AnswerCtx } from '../../context.ts'
import { ModelFailure } from '../../models/model.ts'
import type { Writer } from '../../models/open-models.ts'
import type { RowAnswer } from '../answer-from-rows.ts'
import type { Selected } from '../duckdb/calculator.ts'
import { describeTables, idsOfLabels, selectPrompt, showViews, WrittenSelect } from './select-prompt.ts'

/** A question for rows, as a model is asked it. */
interface AskedSelect {
  writer: Writer
  /** The account that is charged. */
  accountId: string
  query: string
  referenceDate: string
  earlierTurns: readonly string[]
}

const MARK_BYTES = 12
const TOKENS_MAX = 1_500
const SQL_CHARS_MAX = 4_000
const ROWS_TOLD = 8
const CITATIONS_MAX = 10
/** A row that stands further down is less of the answer. */
const RELEVANCE_STEP = 0.05
const NOT_HERE = 'The model found nothing in the rows that answers the question.'

/**
 * Answers a question by a query that a model writes and that reads the rows of the scope alone, and shows that query;
 * or tells why it does not. Throws a ModelFailure.
 */
export async function answerFromSelect(
  ctx: Pick<AnswerCtx, 'rows' | 'signal' | 'turn'>,
  { ground, view }: { ground: Ground; view: SandboxView },
  asked: AskedSelect,
): Promise<RowAnswer> {
  const texts = [asked.query, ...asked.earlierTurns]
  const of = { texts, isWanted: true, onWait: () => ctx.turn.end() }
  return ctx.rows.use(view, ground, of, async ({ views, select }): Promise<RowAnswer> => {
    const sql = await writeSelect(ctx, asked, await describeTables(views))
    if (sql === '') return { refused: NOT_HERE }
    const selected = await select(showViews(views), sql)
    if ('refused' in selected) return { refused: selected.refused }
    const { columns, rows, total } = selected
    const texts = textsOf(selected)
    const ids = idsOfLabels(views, new Set(texts))
    const warnings = [`A model wrote the query: ${sql}`]
    const citations = cite(texts, ids)
    const behind = rows.flat().flatMap((cell) => (typeof cell === 'string' && isRecordId(cell) ? cell : []))
    const computed = { answer: phrase(selected), citations, behind, columns, rows, total_rows: total, warnings }
    return { outcome: 'answered' as const, ...computed }
  })
}

async function writeSelect(
  ctx: Pick<AnswerCtx, 'signal' | 'turn'>,
  asked: AskedSelect,
  tables: string,
): Promise<string> {
  const { system, prompt } = selectPrompt(asked, tables, randomBytes(MARK_BYTES).toString('hex'))
  const request = {
    system,
    prompt,
    element: WrittenSelect,
    tokensMax: TOKENS_MAX,
    isStreamed: false,
    signal: ctx.signal,
  }
  // Waiting for the model is no work: others take their turns meanwhile.
  ctx.turn.end()
  let written: string | undefined
  for await (const { sql } of asked.writer.ask(asked.accountId, request)) written ??= sql
  if (written === undefined || written.length > SQL_CHARS_MAX) throw new ModelFailure('unreadable')
  return written.trim()
}

/** The rows in a sentence: a single value, or the first of them. */
function phrase({ columns, rows, total }: Extract<Selected, { rows: unknown }>): string {
  if (rows.length === 0) return 'No rows fit the question.'
  if (rows.length === 1) return `${rows[0]!.map((cell, at) => `${columns[at]}: ${written(cell)}`).join(', ')}.`
  const told = rows.slice(0, ROWS_TOLD).map((row) => row.filter(isTold).map(written).join(', '))
  const rest = total > told.length ? `; and ${total - told.length} more` : ''
  return `${total} rows (${columns.join(', ')}): ${told.join('; ')}${rest}.`
}

function isTold(cell: unknown): boolean {
  return typeof cell !== 'string' || !isRecordId(cell)
}

function isRecordId(cell: string): boolean {
  return cell.startsWith('rec_')
}

function written(cell: string | number | boolean | null): string {
  return cell === null ? 'none' : String(cell)
}

/** What the query compares with, then what the rows hold. */
function textsOf({ constants, rows }: Extract<Selected, { rows: unknown }>): string[] {
  return [...constants, ...rows.flat().filter((cell) => typeof cell === 'string')]
}

/** What the answer rests on: what the query compares with by name, then what the rows name. */
function cite(texts: readonly string[], ids: ReadonlyMap<string, string>) {
  const labels = new Map([...ids].map(([label, id]) => [id, label] as const))
  const cited = [...new Set(texts.flatMap((text) => ids.get(text) ?? []))].slice(0, CITATIONS_MAX)
  return cited.map(
    (id, at): Citation => ({
      canonical_id: id,
      name: labels.get(id) ?? id,
      relevance: Math.round((1 - at * RELEVANCE_STEP) * 100) / 100,
    }),
  )
}

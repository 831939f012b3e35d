import { randomBytes } from 'node:crypto'
import type { Citation } from '@cairnstore/engine/answer'
import type { ReadSnapshot } from '../../../store/read-snapshot.ts'
import type { SandboxView } from '../../../store/sandbox-view.ts'
import type { AnswerCtx } from '../../context.ts'
import { ModelFailure } from '../../models/model.ts'
import type { Writer } from '../../models/open-models.ts'
import type { RowAnswer } from '../answer-from-rows.ts'
import type { Selected } from '../duckdb/calculator.ts'
import { describeTables, idsOfLabels, selectPrompt, showViews, WrittenSelect } from './select-prompt.ts'

/** A question for a model that writes a query. */
interface SelectQuestion {
  writer: Writer
  /** Account to charge. */
  accountId: string
  query: string
  referenceDate: string
  earlierTurns: readonly string[]
}

const MARK_BYTES = 12
const TOKENS_MAX = 1_500
const SQL_CHARS_MAX = 4_000
const ROWS_SHOWN = 8
const CITATIONS_MAX = 10
/** Decrease of relevance from one row to the next. */
const RELEVANCE_STEP = 0.05
const NO_ANSWER_IN_ROWS = 'The model found no answer to the question in the rows.'

/**
 * Answers a question with a query that a model writes over the rows in scope. The answer shows the query. Returns a
 * reason if there is no answer. Throws a ModelFailure.
 */
export async function answerFromSelect(
  ctx: Pick<AnswerCtx, 'rows' | 'signal' | 'slot'>,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  asked: SelectQuestion,
): Promise<RowAnswer> {
  const texts = [asked.query, ...asked.earlierTurns]
  const of = { texts, isWanted: true, onWait: () => ctx.slot.end() }
  return ctx.rows.use(view, snapshot, of, async ({ views, select }): Promise<RowAnswer> => {
    const sql = await writeSelect(ctx, asked, await describeTables(views))
    if (sql === '') return { refused: NO_ANSWER_IN_ROWS }
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
  ctx: Pick<AnswerCtx, 'signal' | 'slot'>,
  asked: SelectQuestion,
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
  // While the request waits for the model, others may use its scheduler slot.
  ctx.slot.end()
  let written: string | undefined
  for await (const { sql } of asked.writer.ask(asked.accountId, request)) written ??= sql
  if (written === undefined || written.length > SQL_CHARS_MAX) throw new ModelFailure('unreadable')
  return written.trim()
}

/** Returns the rows as a sentence with a single value or with the first rows. */
function phrase({ columns, rows, total }: Extract<Selected, { rows: unknown }>): string {
  if (rows.length === 0) return 'No rows match the question.'
  if (rows.length === 1) return `${rows[0]!.map((cell, at) => `${columns[at]}: ${cellText(cell)}`).join(', ')}.`
  const shown = rows.slice(0, ROWS_SHOWN).map((row) => row.filter(isReadable).map(cellText).join(', '))
  const rest = total > shown.length ? `; and ${total - shown.length} more` : ''
  return `${total} rows (${columns.join(', ')}): ${shown.join('; ')}${rest}.`
}

function isReadable(cell: unknown): boolean {
  return typeof cell !== 'string' || !isRecordId(cell)
}

function isRecordId(cell: string): boolean {
  return cell.startsWith('rec_')
}

function cellText(cell: string | number | boolean | null): string {
  return cell === null ? 'none' : String(cell)
}

/** Returns the string constants of the query, then the strings in the rows. */
function textsOf({ constants, rows }: Extract<Selected, { rows: unknown }>): string[] {
  return [...constants, ...rows.flat().filter((cell) => typeof cell === 'string')]
}

/** Returns the citations: entities in the query's constants, then entities in the rows. */
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

import type { Citation } from '@cairnstore/engine/answer'
import {
  type Cell,
  columnName,
  computePlan,
  groupName,
  labelOf,
  nounOf,
  type Plan,
  phraseAnswer,
  planInConversation,
  recordsBehind,
  totalOf,
  type View,
} from '@cairnstore/engine/tables'
import { type Intent, questionText } from '@cairnstore/engine/understand'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { AnswerCtx } from '../context.ts'

/** An answer from typed rows, or the reason why there is none. */
export type RowAnswer =
  | {
      /** Outcome. `closest` means that the row was found, but has no value in the requested column. */
      outcome: 'answered' | 'closest'
      answer: string
      citations: Citation[]
      /** Records that the answer was computed from, latest first. These are cited. */
      behind: string[]
      columns: string[]
      rows: (string | number | boolean | null)[][]
      total_rows: number
      /** Sentences that explain where the interpretation differs from the wording. */
      warnings: string[]
    }
  | { refused: string }

interface RowsQuestion {
  intent: Intent
  /** True if nothing but rows may answer the question. */
  isWanted: boolean
}

/** Maximum number of plans for one question. With more, it is too ambiguous. */
const PLANS_MAX = 4
const CITATIONS_MAX = 10
/** Decrease of relevance from one row to the next. */
const RELEVANCE_STEP = 0.05

/** Answers a question for counts, lists, groups or extremes from rows, or returns the reason why it cannot. */
export async function answerFromRows(
  ctx: Pick<AnswerCtx, 'rows' | 'slot'>,
  { snapshot, view }: { snapshot: ReadSnapshot; view: SandboxView },
  asked: RowsQuestion,
): Promise<RowAnswer> {
  const { rowWordings, conversation } = asked.intent
  if (rowWordings.length === 0)
    return { refused: 'The question does not ask for a count, a list, groups or an extreme.' }
  const texts = [...rowWordings.map(questionText), ...conversation.questions]
  const of = { texts, isWanted: asked.isWanted, onWait: () => ctx.slot.end() }
  return ctx.rows.use(view, snapshot, of, async ({ views }) => answer(views, asked.intent))
}

function answer(
  views: readonly View[],
  { rowWordings, conversation, referenceDate, notes, respelt }: Intent,
): RowAnswer {
  const ask = (wording = '') => planInConversation(views, wording, conversation.questions, referenceDate)
  const [written, respelled] = rowWordings.map(questionText)
  const asWritten = ask(written)
  // A word of a row may occur in no text, so the original spelling is tried first.
  const plans = asWritten.length > 0 || respelled === undefined ? asWritten : ask(respelled)
  if (plans.length === 0) return { refused: noMatchReason(views) }
  const ambiguous = { refused: 'The question is ambiguous, and its interpretations have different answers.' }
  if (plans.length > PLANS_MAX || new Set(plans.map(({ type, asks }) => `${type} ${asks}`)).size > 1) return ambiguous
  const viewOf = (plan: Plan) => views.find(({ type }) => type === plan.type)!
  const found = plans.map((plan) => computePlan(plan, viewOf(plan)))
  if (new Set(found.map((each) => JSON.stringify(each))).size > 1) return ambiguous
  const [plan, cells] = [plans[0]!, found[0]!]
  const view = viewOf(plan)
  if (plan.asks === 'value' && cells.length !== 1) return { refused: 'There is not exactly one row with this name.' }
  const isGiven = plan.asks !== 'value' || (view.columns[plan.column]!.cells[Number(cells[0]![0])] ?? null) !== null
  return {
    outcome: isGiven ? 'answered' : 'closest',
    answer: phraseAnswer(plan, view, cells),
    ...cite(plan, view, cells),
    total_rows: plan.asks === 'count' ? 1 : totalOf(plan, cells),
    warnings: plans === asWritten ? [] : [respelt?.note ?? [], ...notes].flat(),
    ...table(plan, view, cells),
  }
}

function noMatchReason(views: readonly View[]): string {
  const nouns = views.map((view) => nounOf(view, 2)).sort()
  const here = nouns.length > 0 ? ` Rows here are ${nouns.join(', ')}.` : ''
  return `Not every word of the question could be matched to typed rows, so they do not answer it.${here}`
}

function table(plan: Plan, view: View, cells: readonly Cell[][]) {
  switch (plan.asks) {
    case 'count':
      return { columns: ['count'], rows: cells.map(([count]) => [Number(count)]) }
    case 'groups':
    case 'best': {
      const isSum = plan.asks === 'best' && plan.sum !== undefined
      const measure = isSum ? `total ${columnName(view, plan.sum!)}` : 'count'
      return {
        columns: [groupName(view, plan.group), measure],
        rows: cells.map(([name, count]) => [labelOf(view, plan.group, name), Number(count)]),
      }
    }
    case 'sum':
    case 'average':
      return {
        columns: [`${plan.asks === 'sum' ? 'total' : 'average'} ${columnName(view, plan.column)}`],
        rows: cells.map(([value]) => [value === null ? null : Number(value)]),
      }
    case 'value':
      return {
        columns: [columnName(view, plan.column)],
        rows: cells.map(([row]) => [view.columns[plan.column]!.cells[Number(row)] ?? null].flat().slice(0, 1)),
      }
    default:
      return recordTable(view, cells)
  }
}

function recordTable(view: View, cells: readonly Cell[][]) {
  const author = view.columns.findIndex(({ name }) => name === 'author')
  const rows = cells.map(([at]) => {
    const row = view.rows.at(Number(at))!
    const by = view.columns[author]?.cells[Number(at)] ?? null
    return [row.recordId, row.externalId, row.title, by && labelOf(view, { column: author }, by), row.occurredAt]
  })
  return { columns: ['record_id', 'external_id', 'title', 'author', 'occurred_at'], rows: rows as (string | null)[][] }
}

/** Returns the citations: entities in the question, then in the rows, then the counted records, latest first. */
function cite(plan: Plan, view: View, cells: readonly Cell[][]): { citations: Citation[]; behind: string[] } {
  const cited = new Map<string, string>()
  const behind: string[] = []
  const add = (id: string, name: string) => {
    if (/^(ent|rec)_/.test(id) && !cited.has(id)) cited.set(id, name)
  }
  const addRecords = (found: readonly Cell[][]) => {
    for (const [at] of found) {
      const row = view.rows.at(Number(at))!
      add(row.citedId, row.title)
      behind.push(row.recordId)
    }
  }
  for (const condition of plan.where) {
    if (condition.is === 'in') for (const id of condition.values) add(id, labelOf(view, condition, id))
  }
  if (plan.asks === 'rows' || plan.asks === 'extreme' || plan.asks === 'value') addRecords(cells)
  else {
    if ('group' in plan) for (const [name] of cells) add(String(name), labelOf(view, plan.group, name))
    if (cited.size < CITATIONS_MAX) addRecords(computePlan(recordsBehind(plan, view, cells), view))
  }
  const citations = [...cited].slice(0, CITATIONS_MAX).map(([id, name], at) => ({
    canonical_id: id,
    name,
    relevance: Math.round((1 - at * RELEVANCE_STEP) * 100) / 100,
  }))
  return { citations, behind }
}

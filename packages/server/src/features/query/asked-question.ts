import type { Discover, Interpret } from '@cairn/contract'
import type { Ctx } from '../handler.ts'
import { analyseQuestion, type Question } from '../knowledge/analyser/analyse-question.ts'
import type { TimeSpan } from '../knowledge/graph/time-weight.ts'
import type { Ground } from '../knowledge/ground.ts'
import type { SandboxView } from '../knowledge/knowledge.ts'
import { historyTexts, referenceDate } from './question.ts'
import { timeRangeOf } from './time-range.ts'

/** A question as the graph ranks by it. */
export interface AskedQuestion {
  question: Question
  /** The time it asks about, when any record in scope is of it. */
  time: TimeSpan | undefined
}

/** Reads a question with its history; words that only tell the time are left to the time when records are of it. */
export function readAsked(
  ctx: Ctx,
  asked: Pick<Discover | Interpret, 'query' | 'history' | 'reference_date'>,
  view: SandboxView,
  { scope }: Ground,
): AskedQuestion {
  const range = timeRangeOf(asked.query, referenceDate(ctx, asked.reference_date))
  const time = range && view.graph.occursIn(range, scope) ? range : undefined
  const text = time && !time.isPartial ? time.rest : asked.query
  return { question: analyseQuestion(text, historyTexts(asked.history), view.hash), time }
}

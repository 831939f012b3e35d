import type { AnswerOutcome } from '@cairnstore/contract'
import { renderDates } from '../text/civil-date.ts'
import type { Material, ScoredCandidate } from './candidates.ts'
import type { SelectedPassage } from './select.ts'
import { SHORTLIST_MAX } from './shortlist.ts'

/** A statement that was considered for an answer. */
export interface Considered {
  readonly recordId: string
  /** UTF-16 offsets into the record's text; both 0 for fields and relations. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** Probability that it answers the question, from 0 to 1. */
  readonly score: number
  /** 1 for the best. */
  readonly rank: number
  readonly chosen: boolean
  readonly reason: string
}

const REASONS = {
  answered: { chosen: 'answers the question', not: 'less probable, or repeats a chosen passage' },
  closest: { chosen: 'closest to the question', not: 'nothing answers the question' },
  nothing: { chosen: '', not: 'nothing answers the question' },
} as const

/** Lists the best statements, each with the reason why it was chosen or not. */
export function explain(
  scored: readonly ScoredCandidate[],
  passages: readonly SelectedPassage[],
  { records }: Material,
  outcome: AnswerOutcome,
): Considered[] {
  return scored.slice(0, SHORTLIST_MAX).map(({ record, start, end, text, p }, at) => {
    const chosen = passages.some(
      (each) =>
        each.record === record &&
        each.statements.some((one) => one.start === start && one.end === end && one.text === text),
    )
    const reason = REASONS[outcome][chosen ? 'chosen' : 'not']
    const [shown = ''] = renderDates([text])
    return { recordId: records[record]!.id, start, end, text: shown, score: p, rank: at + 1, chosen, reason }
  })
}

import type { Question } from '../understand/analyse-question.ts'
import { termsInScope } from './bm25.ts'
import type { ScopeView } from './scope-view.ts'

/** How much a term of a question tells in a scope. */
export interface TermWeight {
  /** The same for a term and its other forms, which count as one. */
  readonly position: number
  /** Its inverse document frequency in the scope, times what it counts in the question. */
  readonly idf: number
}

/** By each term of a question that stands in the scope. */
export type TermWeights = ReadonlyMap<string, TermWeight>

/** The question's terms as the ranking by words weighs them. */
export function weighTerms(view: ScopeView, question: Question): TermWeights {
  const idfs = new Map(termsInScope(view, question).map(({ position, idf }) => [position, idf]))
  const weights = new Map<string, TermWeight>()
  for (const [at, { text, formOf: position = at }] of question.terms.entries()) {
    const idf = idfs.get(position)
    if (idf !== undefined) weights.set(text, { position, idf })
  }
  return weights
}

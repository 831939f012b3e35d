import type { Question } from '../understand/analyse-question.ts'
import type { TermWeight, TermWeights } from '../understand/term-weights.ts'
import { termsInScope } from './bm25.ts'
import type { ScopeView } from './scope-view.ts'

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

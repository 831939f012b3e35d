import type { Question } from '../understand/analyse-question.ts'
import { termsInScope } from './bm25.ts'
import { linkQuestion } from './linking.ts'
import { nameReach } from './name-reach.ts'
import type { ScopeView } from './scope-view.ts'
import { WEIGHTS } from './weights.ts'

/** What the order of the vectors counts beside the graph's, from 0 to 1: the less, the farther names lead. */
export function vectorWeight(view: ScopeView, question: Question): number {
  const reach = nameReach(linkQuestion(view, question), termsInScope(view, question), WEIGHTS)
  return WEIGHTS.vectorsOfWords + (WEIGHTS.vectorsOfNames - WEIGHTS.vectorsOfWords) * reach
}

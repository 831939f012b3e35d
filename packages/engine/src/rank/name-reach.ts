import type { Question } from '../understand/analyse-question.ts'
import { type ScoredTerm, termsInScope } from './bm25.ts'
import { type Linked, type LinkedName, linkQuestion } from './linking.ts'
import type { ScopeView } from './scope-view.ts'
import { idfSum } from './signals/signal.ts'
import { brevity, WEIGHTS, type Weights } from './weights.ts'

/** Entities that one name leads to at most; what more share tells none of them apart. */
const OWNERS_MAX = 2
/** Words of a name that nothing owns: a single one may be any word that begins a sentence or a heading. */
const BARE_WORDS_MIN = 2
/** Share of a name's words that are written with capitals from which it is written as a name. */
const CAPITALS_MIN = 0.5

/** Whether it is written as a name, and one or two entities own it or it has two words or more. */
function isWritten({ owners, capitals = 0, words }: LinkedName): boolean {
  if (owners.length > OWNERS_MAX || capitals < CAPITALS_MIN) return false
  return owners.length > 0 || words >= BARE_WORDS_MIN
}

/**
 * How far names may lead rather than words, from 0 to 1: by how rare the rarest is, and by how much of the question
 * names explain that are written as such. A question whose words no record holds has its names alone.
 */
export function nameReach(
  linked: Linked,
  terms: readonly Pick<ScoredTerm, 'position' | 'idf'>[],
  weights: Weights,
): number {
  const total = idfSum(terms)
  if (linked.certainty === 0) return 0
  if (total === 0) return 1
  const idfs = new Map(terms.map(({ position, idf }) => [position, idf]))
  const explained = new Map<number, number>()
  for (const name of linked.names.filter(isWritten)) {
    for (const position of name.terms) {
      const idf = (idfs.get(position) ?? 0) * name.telling
      explained.set(position, Math.max(explained.get(position) ?? 0, idf))
    }
  }
  let logit = weights.namesBase
  for (const idf of explained.values()) logit += (weights.namesWritten * idf) / total
  return (brevity(weights, terms.length) * linked.certainty) / (1 + Math.exp(-logit))
}

/** The same of a question as it is asked in a scope. */
export function questionReach(view: ScopeView, question: Question): number {
  return nameReach(linkQuestion(view, question), termsInScope(view, question), WEIGHTS)
}

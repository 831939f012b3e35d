import { termKey } from '../text/analyse-record.ts'
import { typesOfTerm, typeTerm } from '../text/kinds.ts'
import { type KeyHash, namePartKey } from '../text/names.ts'
import { wholeTerm } from '../text/stem.ts'

/** What the records of a scope say: how many have a term, and whether one has a key, by the hashes of both. */
export interface KnownWords<S> {
  readonly graph: {
    degreeOf(term: number, scope: S | null): number
    holdsKey(key: number, scope: S | null): boolean
  }
  readonly hash: KeyHash
}

/**
 * Returns in how many records in scope a term occurs, by itself or as a whole whose parts are terms too. Where none has
 * it, returns 1 for a word of a name that a record declares, such as its author's, or else the number of records of a
 * type that the term calls.
 */
export function recordsHolding<S>(term: string, view: KnownWords<S>, scope: S | null): number {
  const degreeOf = (each: string) => view.graph.degreeOf(view.hash(termKey(each)), scope)
  const ofTypes = () => Math.max(0, ...typesOfTerm(term).map((type) => degreeOf(typeTerm(type))))
  const isDeclared = () => Number(view.graph.holdsKey(view.hash(namePartKey(term)), scope))
  return degreeOf(term) || degreeOf(wholeTerm(term)) || isDeclared() || ofTypes()
}

import { termKey } from '../text/analyse-record.ts'
import { typesOfTerm, typeTerm } from '../text/kinds.ts'
import { type KeyHash, namePartKey } from '../text/names.ts'
import { compoundTerm } from '../text/stem.ts'

/** Index of the records in scope: number of records with a term, and existence of a key, both by hash. */
export interface KnownWords<S> {
  readonly graph: {
    degreeOf(term: number, scope: S | null): number
    holdsKey(key: number, scope: S | null): boolean
  }
  readonly hash: KeyHash
}

/**
 * Returns the number of records in scope that contain a term, as a word or as a compound. If none does, returns 1 for a
 * word of a declared name, such as an author's. Otherwise returns the number of records of a type that the term names.
 */
export function countRecordsWith<S>(term: string, view: KnownWords<S>, scope: S | null): number {
  const degreeOf = (each: string) => view.graph.degreeOf(view.hash(termKey(each)), scope)
  const ofTypes = () => Math.max(0, ...typesOfTerm(term).map((type) => degreeOf(typeTerm(type))))
  const isDeclared = () => Number(view.graph.holdsKey(view.hash(namePartKey(term)), scope))
  return degreeOf(term) || degreeOf(compoundTerm(term)) || isDeclared() || ofTypes()
}

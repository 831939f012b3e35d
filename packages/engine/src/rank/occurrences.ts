import { termKey } from '../text/analyse-record.ts'
import { typesOfTerm, typeTerm } from '../text/kinds.ts'
import { type KeyHash, namePartKey } from '../text/names.ts'
import { IN_NAME, nearSpellings } from '../text/near-spellings.ts'
import { termOf, wholeTerm } from '../text/stem.ts'
import { wordsOf } from '../text/words.ts'

/** What the records of a scope say: how many have a term, and whether one has a key, by the hashes of both. */
export interface KnownWords<S> {
  readonly graph: {
    degreeOf(term: number, scope: S | null): number
    holdsKey(key: number, scope: S | null): boolean
  }
  readonly hash: KeyHash
}

/** Words of one name that are looked up, and of those the ones whose near spellings are: either bounds the work. */
const WORDS_MAX = 8
const RESPELT_MAX = 3

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

/**
 * Tells whether a name occurs anywhere in scope: whether each of its words, or a near spelling of it, occurs in a text
 * or title, or in the name or alias of an author, a participant or another declared entity.
 */
export function nameOccurs<S>(name: string, view: KnownWords<S>, scope: S | null): boolean {
  const { graph, hash } = view
  const isHeld = (word: string) => {
    const term = termOf(word)
    return (
      term !== undefined &&
      (graph.degreeOf(hash(termKey(term)), scope) > 0 || graph.holdsKey(hash(namePartKey(term)), scope))
    )
  }
  let respelt = 0
  return wordsOf(name)
    .slice(0, WORDS_MAX)
    .every(({ text }) => {
      const term = termOf(text)
      if (term === undefined || recordsHolding(term, view, scope) > 0) return true
      respelt += 1
      return respelt <= RESPELT_MAX && [...nearSpellings(text, IN_NAME)].some(isHeld)
    })
}

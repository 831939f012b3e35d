import { KEY_FLAG } from '../text/analysis-codec.ts'
import { findList } from './postings.ts'
import { countKey, countTerm, eachInScope, type ScopeView } from './scope-view.ts'

/** In how many records of the scope a term stands, by its hash. */
export function degreeOf(view: ScopeView, term: number): number {
  const list = findList(view.store.terms, term)
  return list < 0 ? 0 : countTerm(view, list)
}

/** Whether a record of the scope mentions or declares a key, by its hash. */
export function holdsKey(view: ScopeView, hash: number): boolean {
  const key = findList(view.store.keys, hash)
  if (key < 0) return false
  const { degree, isDeclared } = countKey(view, key)
  return degree > 0 || isDeclared
}

/** How many records of the scope declare a key, by its hash. */
export function countDeclaring(view: ScopeView, hash: number): number {
  const key = findList(view.store.keys, hash)
  let count = 0
  if (key < 0) return count
  eachInScope(view, view.store.keys, key, (posting) => {
    if ((posting & KEY_FLAG.declared) > 0) count += 1
  })
  return count
}

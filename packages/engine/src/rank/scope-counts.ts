import { KEY_FLAG } from '../text/analysis-codec.ts'
import { LOWER_CASE } from './analysis-reader.ts'
import { eachSegment, findList, POSTING_SHIFT } from './postings.ts'
import type { CountedKey, KeyCounts, ScopeCounts, ScopeView } from './scope-view.ts'
import { COUNT_BITS } from './store.ts'

/** Minimum length of a posting list whose counts are cached. */
const LONG_LIST_MIN = 16

/** Returns true if more than `limit` records in scope have the term in lower case. Stops counting at the limit. */
export function isLowerCaseBeyond(view: ScopeView, list: number, limit: number): boolean {
  const { scopeCounts, open, store } = view
  if (scopeCounts) return scopeCounts.term(store.terms.index.hashes[list]!).lowerCase > limit
  const parts = store.recordParts
  let count = 0
  eachSegment(store.terms, list, (page, from, to) => {
    for (let at = from; at < to && count <= limit; at += 1) {
      const posting = page[at]!
      if ((posting & LOWER_CASE) > 0 && open[parts[posting >>> POSTING_SHIFT]!] === 1) count += 1
    }
  })
  return count > limit
}

/** Counts records in scope that contain a term, at most `limit` + 1. The limit must be the same in every call. */
export function degreeOf(view: ScopeView, list: number, limit: number): number {
  const { scopeCounts, open, store } = view
  if (scopeCounts) return scopeCounts.term(store.terms.index.hashes[list]!).degree
  const known = view.termDegrees.get(list)
  if (known !== undefined) return known
  const parts = store.recordParts
  let degree = 0
  eachSegment(store.terms, list, (page, from, to) => {
    for (let at = from; at < to && degree <= limit; at += 1) {
      if (open[parts[page[at]! >>> POSTING_SHIFT]!] === 1) degree += 1
    }
  })
  view.termDegrees.set(list, degree)
  view.cachedItems += 1
  return degree
}

export function countTerm(view: ScopeView, hash: number): number {
  if (view.scopeCounts) return view.scopeCounts.term(hash).degree
  const list = findList(view.store.terms, hash)
  return list < 0 ? 0 : countList(view, list)
}

/** Returns the number of records in scope in a term's list. For long lists, later views add only new postings. */
function countList(view: ScopeView, list: number): number {
  const { open, store } = view
  const length = store.terms.counts[list]!
  const known = view.longTerms.get(list)
  if (known?.counted === length) return known.degree
  let degree = known?.degree ?? 0
  const count = (page: Uint32Array, from: number, to: number): void => {
    for (let at = from; at < to; at += 1) degree += open[store.recordParts[page[at]! >>> POSTING_SHIFT]!]!
  }
  eachSegment(store.terms, list, count, known?.counted ?? 0)
  if (length >= LONG_LIST_MIN) view.longTerms.set(list, { counted: length, degree })
  return degree
}

/** Returns the counts of a key in scope. For long lists, later views add only new postings. */
export function countKey(view: ScopeView, key: number): KeyCounts {
  const { scopeCounts, store } = view
  return scopeCounts ? scopeCounts.key(store.keys.index.hashes[key]!) : countKeyList(view, key)
}

function countKeyList(view: ScopeView, key: number): CountedKey {
  const { open, store } = view
  const length = store.keys.counts[key]!
  const known = view.longCounts.get(key)
  if (known?.counted === length) return known
  let degree = known?.degree ?? 0
  let nameLike = known?.nameLike ?? 0
  let isDeclared = known?.isDeclared ?? false
  const count = (page: Uint32Array, from: number, to: number): void => {
    for (let at = from; at < to; at += 1) {
      const posting = page[at]!
      if (open[store.recordParts[posting >>> POSTING_SHIFT]!] !== 1) continue
      if ((posting & COUNT_BITS) > 0) degree += 1
      if ((posting & KEY_FLAG.nameLike) > 0) nameLike += 1
      if ((posting & KEY_FLAG.declared) > 0) isDeclared = true
    }
  }
  eachSegment(store.keys, key, count, known?.counted ?? 0)
  const counts = { counted: length, degree, nameLike, isDeclared }
  if (length >= LONG_LIST_MIN) view.longCounts.set(key, counts)
  return counts
}

/** Returns the corpus statistics of a scope, computed from this graph. They are valid until it changes. */
export function countsOf(view: ScopeView): ScopeCounts {
  const { open, store } = view
  return {
    records: view.records,
    averageLength: view.averageLength,
    term: (hash) => {
      const list = findList(store.terms, hash)
      let lowerCase = 0
      if (list >= 0) {
        eachSegment(store.terms, list, (page, from, to) => {
          for (let at = from; at < to; at += 1) {
            if ((page[at]! & LOWER_CASE) > 0) lowerCase += open[store.recordParts[page[at]! >>> POSTING_SHIFT]!]!
          }
        })
      }
      return { degree: countTerm(view, hash), lowerCase }
    },
    key: (hash) => {
      const key = findList(store.keys, hash)
      return key < 0 ? { degree: 0, nameLike: 0, isDeclared: false } : countKey(view, key)
    },
  }
}

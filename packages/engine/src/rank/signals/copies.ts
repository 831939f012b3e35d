import type { Scratch } from '../bm25.ts'
import { byScore, docIdsOfRecord, recordDocId, type Scored } from '../record-doc-ids.ts'
import type { ScopeView } from '../scope-view.ts'
import { termLists } from '../store.ts'

/** Number of records that later ones are compared with: about as many as an answer shows. */
const ORIGINALS_MAX = 8
/** Number of best records after which the search stops if none of them is a copy. */
const EXAMINED_MAX = 20
/** Maximum number of terms of a record that are compared. */
const TERMS_MAX = 400
/**
 * Minimum Jaccard similarity of the term sets of two copies. All terms have the same weight: repeated posts share
 * template words, which would weigh little with idf, while their dates and numbers would dominate.
 */
const COPY_SIMILARITY_MIN = 0.85
/** Score factor for each earlier copy. */
const COPY_FACTOR = 0.5

interface Original {
  readonly lists: Uint32Array
  copies: number
}

/** Returns true if `lists` includes `wanted`, for these short arrays faster than `includes`. */
function includesTerm(lists: Uint32Array, wanted: number): boolean {
  for (let at = 0; at < lists.length; at += 1) if (lists[at] === wanted) return true
  return false
}

/**
 * Returns true if the Jaccard similarity of the terms is at least COPY_SIMILARITY_MIN, unless the original lacks a
 * query term that the record has.
 */
function isCopy(lists: Uint32Array, { lists: original }: Original, marks: Uint16Array): boolean {
  const [fewer, more] = [Math.min(lists.length, original.length), Math.max(lists.length, original.length)]
  if (fewer < COPY_SIMILARITY_MIN * more) return false
  // Minimum number of shared terms for this Jaccard similarity.
  const shared = Math.ceil((COPY_SIMILARITY_MIN * (fewer + more)) / (1 + COPY_SIMILARITY_MIN))
  let others = lists.length - shared
  // Starts in the middle, because copies often differ at the beginning, by a greeting or a forwarding header.
  const middle = lists.length >> 1
  for (let step = 0; step < lists.length; step += 1) {
    const list = lists[(middle + step) % lists.length]!
    if (includesTerm(original, list)) continue
    others -= 1
    if (others < 0 || marks[list] !== 0) return false
  }
  return true
}

/**
 * Demotes near-duplicates, such as forwarded, repeated or generated messages. Each earlier copy halves the score, so
 * that other records move up.
 */
export function demoteCopies<T extends Scored>(view: ScopeView, { marks }: Scratch, scored: readonly T[]): T[] {
  const originals: Original[] = []
  const result: T[] = []
  let found = 0
  for (const each of scored) {
    const { docId, score } = each
    // A single passage that also occurs elsewhere does not make its whole record a copy.
    if (docIdsOfRecord(view.store, recordDocId(view.store, docId)).length > 1) {
      result.push(each)
      continue
    }
    if (found === 0 && result.length === EXAMINED_MAX) return [...scored]
    const lists = termLists(view.store, docId, TERMS_MAX)
    const original = originals.find((other) => isCopy(lists, other, marks))
    if (original) {
      found += 1
      original.copies += 1
    } else if (originals.length < ORIGINALS_MAX) originals.push({ lists, copies: 0 })
    result.push({ ...each, score: original ? score * COPY_FACTOR ** original.copies : score })
  }
  return found === 0 ? result : result.sort(byScore(view.store))
}

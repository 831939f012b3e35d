import type { Scratch } from '../bm25.ts'
import { byScore, placesOfRecord, recordPlaceOf, type Scored } from '../record-places.ts'
import type { ScopeView } from '../scope-view.ts'
import { termLists } from '../store.ts'

/** Records, best first, of which later ones may be copies: as many as an answer shows, or nearly. */
const ORIGINALS_MAX = 8
/** Records that are looked through before it is known that there are copies. */
const LOOKED_THROUGH = 20
/** Terms of one that are compared. */
const TERMS_MAX = 400
/**
 * Share of the terms of two records that both have when one is a copy. All count alike: what is posted often has
 * frequent words for that, beside which the day or number of each would tell most.
 */
const COPIED_SHARE = 0.85
/** What each copy before it leaves of the score of another. */
const LEFT = 0.5

interface Original {
  readonly lists: Uint32Array
  copies: number
}

/** As `includes`, which costs a call out of compiled code for each of the few terms. */
function holds(lists: Uint32Array, wanted: number): boolean {
  for (let at = 0; at < lists.length; at += 1) if (lists[at] === wanted) return true
  return false
}

/** Whether a record says next to nothing but what a better one says; a word that was asked for is never nothing. */
function isCopy(lists: Uint32Array, { lists: original }: Original, marks: Uint16Array): boolean {
  const [fewer, more] = [Math.min(lists.length, original.length), Math.max(lists.length, original.length)]
  if (fewer < COPIED_SHARE * more) return false
  // What both have is that share of what either has.
  const shared = Math.ceil((COPIED_SHARE * (fewer + more)) / (1 + COPIED_SHARE))
  let others = lists.length - shared
  // From the middle, as a greeting or the head of what is forwarded stands first.
  const middle = lists.length >> 1
  for (let step = 0; step < lists.length; step += 1) {
    const list = lists[(middle + step) % lists.length]!
    if (holds(original, list)) continue
    others -= 1
    if (others < 0 || marks[list] !== 0) return false
  }
  return true
}

/**
 * Puts copies behind: a record that says next to nothing but what a better one says, as messages do that are forwarded,
 * posted twice or written by a program, loses half of its score, the next copy half of that, so that others come up.
 */
export function demoteCopies<T extends Scored>(view: ScopeView, { marks }: Scratch, scored: readonly T[]): T[] {
  const originals: Original[] = []
  const result: T[] = []
  let found = 0
  for (const each of scored) {
    const { place, score } = each
    // A passage that stands elsewhere too makes no copy of all that its record says.
    if (placesOfRecord(view.store, recordPlaceOf(view.store, place)).length > 1) {
      result.push(each)
      continue
    }
    if (found === 0 && result.length === LOOKED_THROUGH) return [...scored]
    const lists = termLists(view.store, place, TERMS_MAX)
    const original = originals.find((other) => isCopy(lists, other, marks))
    if (original) {
      found += 1
      original.copies += 1
    } else if (originals.length < ORIGINALS_MAX) originals.push({ lists, copies: 0 })
    result.push({ ...each, score: original ? score * LEFT ** original.copies : score })
  }
  return found === 0 ? result : result.sort(byScore(view.store))
}

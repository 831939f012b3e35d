import { bestPlaces, type Scored } from './best.ts'
import { idfOf, K1, type Scratch, saturationAt, type WordScores } from './bm25.ts'
import type { Linked } from './linking.ts'
import { degreeOf, type ScopeView } from './scope-view.ts'
import { eachMarked, eachTerm } from './store.ts'
import type { Weight } from './time-weight.ts'

/** Records that are taken to be about what the question asks. */
const LEADERS = 5
/** Terms of one that are looked at: its title and first sentences. */
const LEADER_TERMS_MAX = 100
/** Of those, the most telling are added to the question. */
const ADDED_TERMS = 15
/** What the most telling one counts beside a word of the question. */
const ADDED_WEIGHT = 0.2
/** A term in fewer records leads nowhere, and one in more than this share says little. */
const DEGREE_MIN = 2
const DEGREE_SHARE_MAX = 0.1
/** Records that are scored again. */
const RESCORED = 100
/** Terms of one that are looked at. */
const RESCORED_TERMS_MAX = 1_000

/** A term that is added to the question. */
interface AddedTerm {
  readonly list: number
  readonly weight: number
}

/** The terms that the leaders have in common beyond the question's own. */
function addedTerms(view: ScopeView, { marks }: Scratch, leaders: readonly Scored[]): AddedTerm[] {
  const degreeMax = DEGREE_SHARE_MAX * view.records
  const weights = new Map<number, number>()
  for (const { place, score } of leaders) {
    eachTerm(view.store, place, LEADER_TERMS_MAX, (list, frequency) => {
      if (marks[list] !== 0) return
      const degree = degreeOf(view, list, degreeMax)
      if (degree < DEGREE_MIN || degree > degreeMax) return
      const weight = score * idfOf(view, degree) * saturationAt(view, place, frequency)
      weights.set(list, (weights.get(list) ?? 0) + weight)
    })
  }
  // Equal ones stay in the order in which the leaders say them, which does not depend on how terms are hashed.
  const best = [...weights].sort(([, x], [, y]) => y - x).slice(0, ADDED_TERMS)
  const greatest = best[0]?.[1] ?? 1
  return best.map(([list, weight]) => ({
    list,
    weight: (weight / greatest) * idfOf(view, degreeOf(view, list, degreeMax)),
  }))
}

/**
 * Adds what the best records have in common to the question and scores the best again: others about the same thing in
 * other words rise. The better the question names what it is about, the less it takes from there.
 */
export function scoreAlike(
  view: ScopeView,
  scratch: Scratch,
  words: WordScores,
  linked: Linked,
  weightOf: Weight,
): WordScores {
  const share = ADDED_WEIGHT * (1 - linked.certainty)
  if (share === 0) return words
  const { scores, marks } = scratch
  const found = bestPlaces(view.store, scratch.touched, words.touched, scores, RESCORED)
  const added = addedTerms(view, scratch, found.slice(0, LEADERS))
  const first = words.terms.length + 1
  for (const [at, { list }] of added.entries()) marks[list] = first + at
  let { best } = words
  for (const { place } of found) {
    let alike = 0
    eachMarked(view.store, place, RESCORED_TERMS_MAX, marks, (mark, frequency) => {
      if (mark >= first) alike += added[mark - first]!.weight * saturationAt(view, place, frequency)
    })
    scores[place]! += share * (K1 + 1) * alike * weightOf(place)
    best = Math.max(best, scores[place]!)
  }
  for (const { list } of added) marks[list] = 0
  return { ...words, best }
}

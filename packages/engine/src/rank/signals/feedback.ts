import { idfOf, K1, saturationAt } from '../bm25.ts'
import { degreeOf } from '../scope-counts.ts'
import { eachMarked, eachTerm } from '../store.ts'
import { idfSum, type ScoredCandidate, type Signal, type SignalInput } from './signal.ts'

/** Records that are taken to be about what the question asks. */
const LEADERS = 5
/** Of those, how many say a term that is added: what one alone says may be about something else. */
const LEADERS_WITH_TERM_MIN = 2
/** Terms of one that are looked at: its title and first sentences. */
const LEADER_TERMS_MAX = 100
/** Of the terms that leaders have in common, the most telling are added to the question. */
const ADDED_TERMS = 15
/** A term in more than this share of the records says little. */
const DEGREE_SHARE_MAX = 0.1
/** Terms of a candidate that are looked at. */
const CANDIDATE_TERMS_MAX = 1_000

/** A term that is added to the question. */
interface AddedTerm {
  readonly list: number
  readonly weight: number
}

/** The terms that the leaders have in common beyond the question's own. */
function addedTerms({ view, scratch: { marks } }: SignalInput, leaders: readonly ScoredCandidate[]): AddedTerm[] {
  const degreeMax = DEGREE_SHARE_MAX * view.records
  const found = new Map<number, { weight: number; leaders: number }>()
  for (const { place, words } of leaders) {
    eachTerm(view.store, place, LEADER_TERMS_MAX, (list, frequency) => {
      if (marks[list] !== 0) return
      const degree = degreeOf(view, list, degreeMax)
      if (degree > degreeMax) return
      const weight = words * idfOf(view, degree) * saturationAt(view, place, frequency)
      const known = found.get(list)
      if (known === undefined) found.set(list, { weight, leaders: 1 })
      else {
        known.weight += weight
        known.leaders += 1
      }
    })
  }
  const shared = [...found].filter(([, { leaders: count }]) => count >= LEADERS_WITH_TERM_MIN)
  // Equal ones stay in the order in which the leaders say them, which does not depend on how terms are hashed.
  const best = shared.sort(([, x], [, y]) => y.weight - x.weight).slice(0, ADDED_TERMS)
  const greatest = best[0]?.[1].weight ?? 1
  return best.map(([list, { weight }]) => ({
    list,
    weight: (weight / greatest) * idfOf(view, degreeOf(view, list, degreeMax)),
  }))
}

/** The greatest share of the question, by idf, that one of the leaders has words for. */
function coveredBy({ words: { terms } }: SignalInput, leaders: readonly ScoredCandidate[]): number {
  const total = idfSum(terms) || 1
  const covered = leaders.map(({ coverage }) =>
    terms.reduce((sum, { idf }, at) => sum + (coverage[at]! > 0 ? idf : 0), 0),
  )
  return Math.max(0, ...covered) / total
}

/**
 * Pseudo-relevance feedback: what the best records have in common is added to the question, so that others about the
 * same thing in other words rise. The more of it one of them covers, the less is added; where none has a word, nothing.
 */
export const feedback: Signal = {
  name: 'feedback',
  of: (asked, candidates) => {
    const { view, scratch, words, weights } = asked
    const { marks } = scratch
    const leaders = [...candidates].sort((a, b) => b.words - a.words).slice(0, LEADERS)
    const scale = words.best && (weights.feedback * (1 - coveredBy(asked, leaders)) * (K1 + 1)) / words.best
    const given = new Float64Array(candidates.length)
    if (scale === 0) return given
    const added = addedTerms(asked, leaders)
    const first = words.terms.length + 1
    for (const [at, { list }] of added.entries()) marks[list] = first + at
    for (const [at, { place }] of candidates.entries()) {
      eachMarked(view.store, place, CANDIDATE_TERMS_MAX, marks, (mark, frequency) => {
        if (mark >= first) given[at]! += scale * added[mark - first]!.weight * saturationAt(view, place, frequency)
      })
    }
    for (const { list } of added) marks[list] = 0
    return given
  },
}

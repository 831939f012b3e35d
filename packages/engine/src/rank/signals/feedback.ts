import { idfOf, K1, saturationAt } from '../bm25.ts'
import { degreeOf } from '../scope-counts.ts'
import { eachMarked, eachTerm } from '../store.ts'
import { idfSum, type ScoredCandidate, type Signal, type SignalInput } from './signal.ts'

/** Number of best records that are assumed to be relevant. */
const LEADERS = 5
/** Minimum number of these that contain an added term. A term of a single record may belong to another topic. */
const LEADERS_WITH_TERM_MIN = 2
/** Number of terms examined per leading record: its title and first sentences. */
const LEADER_TERMS_MAX = 100
/** Maximum number of terms added to the question, by weight. */
const ADDED_TERMS = 15
/** A term in more than this share of the records is too frequent to be added. */
const DEGREE_SHARE_MAX = 0.1
/** Maximum number of terms examined per candidate. */
const CANDIDATE_TERMS_MAX = 1_000

/** A term that is added to the question. */
interface AddedTerm {
  readonly list: number
  readonly weight: number
}

/** Returns the terms that the leading records share and the question does not contain. */
function addedTerms({ view, scratch: { marks } }: SignalInput, leaders: readonly ScoredCandidate[]): AddedTerm[] {
  const degreeMax = DEGREE_SHARE_MAX * view.records
  const found = new Map<number, { weight: number; leaders: number }>()
  for (const { docId, words } of leaders) {
    eachTerm(view.store, docId, LEADER_TERMS_MAX, (list, frequency) => {
      if (marks[list] !== 0) return
      const degree = degreeOf(view, list, degreeMax)
      if (degree > degreeMax) return
      const weight = words * idfOf(view, degree) * saturationAt(view, docId, frequency)
      const known = found.get(list)
      if (known === undefined) found.set(list, { weight, leaders: 1 })
      else {
        known.weight += weight
        known.leaders += 1
      }
    })
  }
  const shared = [...found].filter(([, { leaders: count }]) => count >= LEADERS_WITH_TERM_MIN)
  // The sort is stable, so equal weights keep the order of the leading records, which does not depend on hashes.
  const best = shared.sort(([, x], [, y]) => y.weight - x.weight).slice(0, ADDED_TERMS)
  const greatest = best[0]?.[1].weight ?? 1
  return best.map(([list, { weight }]) => ({
    list,
    weight: (weight / greatest) * idfOf(view, degreeOf(view, list, degreeMax)),
  }))
}

/** Returns the greatest share of the question, by idf, that one of the leading records contains. */
function coveredShare({ words: { terms } }: SignalInput, leaders: readonly ScoredCandidate[]): number {
  const total = idfSum(terms) || 1
  const covered = leaders.map(({ coverage }) =>
    terms.reduce((sum, { idf }, at) => sum + (coverage[at]! > 0 ? idf : 0), 0),
  )
  return Math.max(0, ...covered) / total
}

/**
 * Pseudo-relevance feedback: adds terms to the question that the best records share, so that records about the same
 * topic in other words rise. The more of the question a leading record covers, the lower is the weight. Adds nothing if
 * no record contains a word of the question.
 */
export const feedback: Signal = {
  name: 'feedback',
  of: (input, candidates) => {
    const { view, scratch, words, weights } = input
    const { marks } = scratch
    const leaders = [...candidates].sort((a, b) => b.words - a.words).slice(0, LEADERS)
    const scale = words.best && (weights.feedback * (1 - coveredShare(input, leaders)) * (K1 + 1)) / words.best
    const bonuses = new Float64Array(candidates.length)
    if (scale === 0) return bonuses
    const added = addedTerms(input, leaders)
    const first = words.terms.length + 1
    for (const [at, { list }] of added.entries()) marks[list] = first + at
    for (const [at, { docId }] of candidates.entries()) {
      eachMarked(view.store, docId, CANDIDATE_TERMS_MAX, marks, (mark, frequency) => {
        if (mark >= first) bonuses[at]! += scale * added[mark - first]!.weight * saturationAt(view, docId, frequency)
      })
    }
    for (const { list } of added) marks[list] = 0
    return bonuses
  },
}

import type { Candidate } from './candidates.ts'
import { ALL_WORDS, type Comparer, FIRST_FIELD, type Levels, MISSING, type Weights } from './compare.ts'
import { learnWeights } from './weights.ts'

/** At first sight two are one when each is the other's nearest, and so much of their words is the same. */
const FIRST_SIGHT_LEVEL = 3
const FIRST_SIGHT = { yes: 0.9, no: 0.02, never: 0 }
/** Fewer pairs teach nothing. */
const PAIRS_MIN = 200

/** What weights are learned from. */
export interface Lesson {
  comparer: Comparer
  candidates: readonly Candidate[]
  levels: readonly Levels[]
  /** Of each candidate whether it can be one thing at all. */
  likely: Uint8Array
  sourceOf(place: number): string
  /** Whether a source holds each thing once. */
  keepsApart(source: string): boolean
}

/**
 * What agreement is worth: learned from the pairs of different sources, or what experience has where they are few. A
 * pair that cannot be one teaches what strangers look like, and so do two of one source that keeps its things apart;
 * but not in names and words, of which two of one source have more in common than any of two.
 */
export function* weigh(lesson: Lesson): Generator<undefined, Weights> {
  const { comparer, candidates, levels, likely, sourceOf, keepsApart } = lesson
  const isAbroad = ({ one, other }: Candidate) => sourceOf(one) !== sourceOf(other)
  const hasSources = candidates.some(isAbroad)
  const taught = candidates.flatMap((pair, at) => (!hasSources || isAbroad(pair) ? [at] : []))
  yield
  if (taught.length < PAIRS_MIN) return comparer.usual
  const strangers = candidates.flatMap((pair, at) =>
    likely[at] && !isAbroad(pair) && keepsApart(sourceOf(pair.one)) ? [fieldsAlone(levels[at]!)] : [],
  )
  yield
  const pairs = [...taught.map((at) => levels[at]!), ...strangers]
  return yield* learnWeights(pairs, comparer.sizes, atFirstSight(lesson, taught))
}

/** How likely each of some pairs is one thing before anything is learned. */
function atFirstSight({ candidates, levels, likely }: Lesson, taught: readonly number[]): Float64Array {
  const nearest = new Map<number, Candidate>()
  for (const at of taught) {
    const pair = candidates[at]!
    for (const place of likely[at] ? [pair.one, pair.other] : []) {
      const held = nearest.get(place)
      if (!held || pair.shared > held.shared) nearest.set(place, pair)
    }
  }
  return Float64Array.from(taught, (at) => {
    if (!likely[at]) return FIRST_SIGHT.never
    const pair = candidates[at]!
    const isMutual = nearest.get(pair.one) === pair && nearest.get(pair.other) === pair
    return isMutual && levels[at]![ALL_WORDS]! >= FIRST_SIGHT_LEVEL ? FIRST_SIGHT.yes : FIRST_SIGHT.no
  })
}

function fieldsAlone(levels: Levels): Levels {
  return levels.map((level, feature) => (feature < FIRST_FIELD ? MISSING : level))
}

import { ALL_WORDS, type Comparer, FIRST_FIELD, type Levels, MISSING, NAME, type Weights } from './compare.ts'
import type { CandidatePair } from './name-fit.ts'

const ROUNDS = 40
/** Pairs that are counted for each level before any is seen. */
const SMOOTHING = 1
/** One feature alone never decides: what is worth more than this, either way, is counted as this. */
const EVIDENCE_MAX = 6

/**
 * Logarithm of the odds that a pair is one thing. Words of a name are among all words: where both speak for the pair
 * they tell one fact, which is counted once.
 */
export function scoreOf(weights: Weights, levels: Levels): number {
  const worth = (feature: number) => (levels[feature] === MISSING ? 0 : weights.evidence[feature]![levels[feature]!]!)
  let score = weights.prior - Math.max(0, Math.min(worth(NAME), worth(ALL_WORDS)))
  for (let feature = 0; feature < levels.length; feature++) score += worth(feature)
  return score
}

export function probabilityOf(score: number): number {
  return 1 / (1 + Math.exp(-score))
}

/**
 * Learns, without examples, what agreement in each feature is worth: expectation–maximisation of Fellegi and Sunter's
 * model over the candidate pairs. More alike never counts for less.
 * @param likely how likely each pair is one thing at first sight, from 0, which stays, to 1; the pairs beyond are
 * strangers that are no candidates
 */
function* learnWeights(
  pairs: readonly Levels[],
  sizes: readonly number[],
  likely: Float64Array,
): Generator<undefined, Weights> {
  const chance = new Float64Array(pairs.length)
  chance.set(likely)
  let weights = yield* maximise(pairs, sizes, chance, likely.length)
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0
    for (const [at, levels] of pairs.entries()) {
      if (!likely[at]) continue
      const next = probabilityOf(scoreOf(weights, levels))
      moved += Math.abs(next - chance[at]!)
      chance[at] = next
      if (at % PAIRS_PER_STEP === 0) yield
    }
    weights = yield* maximise(pairs, sizes, chance, likely.length)
    if (moved / Math.max(1, pairs.length) < STILL) break
  }
  return weights
}

/** Learning ends when chances move less than this on average. */
const STILL = 1e-4
/** Pairs of one step: some tenths of a millisecond. */
const PAIRS_PER_STEP = 1_000

function* maximise(
  pairs: readonly Levels[],
  sizes: readonly number[],
  chance: Float64Array,
  candidates: number,
): Generator<undefined, Weights> {
  const equal = sizes.map((size) => new Float64Array(size).fill(SMOOTHING / size))
  const different = sizes.map((size) => new Float64Array(size).fill(SMOOTHING / size))
  let expected = SMOOTHING
  for (const [at, levels] of pairs.entries()) {
    const share = chance[at]!
    expected += share
    for (let feature = 0; feature < levels.length; feature++) {
      const level = levels[feature]!
      if (level === MISSING) continue
      equal[feature]![level]! += share
      different[feature]![level]! += 1 - share
    }
    if (at % PAIRS_PER_STEP === 0) yield
  }
  const evidence = sizes.map((_, feature) => evidenceOf(equal[feature]!, different[feature]!))
  const share = Math.min(SHARE_MAX, expected / (candidates + 2 * SMOOTHING))
  return { prior: Math.log(share / (1 - share)), evidence }
}

/** Even where nearly all candidates are one, a pair that agrees in nothing is not. */
const SHARE_MAX = 0.999

function evidenceOf(equal: Float64Array, different: Float64Array): Float64Array {
  const sum = (counts: Float64Array) => counts.reduce((total, count) => total + count, 0)
  const [equals, differents] = [sum(equal), sum(different)]
  const raw = Array.from(equal, (count, level) => Math.log(count / equals / (different[level]! / differents)))
  const mass = Array.from(equal, (count, level) => count + different[level]!)
  return Float64Array.from(rising(raw, mass), (value) => Math.max(-EVIDENCE_MAX, Math.min(EVIDENCE_MAX, value)))
}

/** The rising sequence nearest to the values, each weighed by its mass (pool adjacent violators). */
function rising(values: readonly number[], mass: readonly number[]): number[] {
  const pools: { value: number; mass: number; count: number }[] = []
  for (const [at, value] of values.entries()) {
    let pool = { value, mass: mass[at]!, count: 1 }
    for (let last = pools.at(-1); last && last.value > pool.value; last = pools.at(-1)) {
      pools.pop()
      const total = last.mass + pool.mass
      pool = {
        value: (last.value * last.mass + pool.value * pool.mass) / total,
        mass: total,
        count: last.count + pool.count,
      }
    }
    pools.push(pool)
  }
  return pools.flatMap(({ value, count }) => Array.from({ length: count }, () => value))
}

/** The least share of common words for two things, each the nearest of the other, to start learning as one. */
const FIRST_SIGHT_LEVEL = 3
const FIRST_SIGHT = { yes: 0.9, no: 0.02, never: 0 }
/** Fewer pairs teach nothing. */
const PAIRS_MIN = 200

/** What weights are learned from. */
interface Lesson {
  comparer: Comparer
  candidates: readonly CandidatePair[]
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
  const isAbroad = ({ one, other }: CandidatePair) => sourceOf(one) !== sourceOf(other)
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
  const nearest = new Map<number, CandidatePair>()
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

/** Two subjects that are or may be one, how sure that is, and what agrees. */
export interface Alike {
  one: string
  other: string
  /** From 0 to 1, as the data itself tells. */
  probability: number
  agree: string[]
  differ: string[]
}

/** What a comparison comes to. */
export interface WhoIsOne {
  /** Taken for one. */
  same: Alike[]
  /** Likely enough for a person to decide on; never two that `same` makes one. */
  maybe: Alike[]
}

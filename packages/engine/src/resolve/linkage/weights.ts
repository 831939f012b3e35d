import { ALL_WORDS, type Comparer, FIRST_FIELD, type Levels, MISSING, NAME, type Weights } from './compare.ts'
import type { CandidatePair } from './name-fit.ts'

const ROUNDS = 40
/** Pseudo-count per feature, spread evenly over its levels (additive smoothing). */
const SMOOTHING = 1
/** Maximum absolute evidence of a feature, so that a single feature never decides. */
const EVIDENCE_MAX = 6

/**
 * Returns the match score in log-odds. The words of a name are also among all words. If both features support the
 * match, the smaller evidence is subtracted, so that the words count once.
 */
export function scoreOf(weights: Weights, levels: Levels): number {
  const evidenceAt = (feature: number) =>
    levels[feature] === MISSING ? 0 : weights.evidence[feature]![levels[feature]!]!
  let score = weights.prior - Math.max(0, Math.min(evidenceAt(NAME), evidenceAt(ALL_WORDS)))
  for (let feature = 0; feature < levels.length; feature++) score += evidenceAt(feature)
  return score
}

export function probabilityOf(score: number): number {
  return 1 / (1 + Math.exp(-score))
}

/**
 * Learns the weights without labels, by expectation–maximization of the Fellegi–Sunter model over the candidate pairs.
 * The evidence of a feature never decreases with its level.
 * @param likely initial probability of each pair; a probability of 0 never changes; pairs beyond the array's length are
 * non-matches that are not candidates
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
    if (moved / Math.max(1, pairs.length) < CONVERGED_CHANGE) break
  }
  return weights
}

/** Mean change of the probabilities below which learning stops. */
const CONVERGED_CHANGE = 1e-4
/** Number of pairs per step: a few tenths of a millisecond. */
const PAIRS_PER_STEP = 1_000

/** Maximization step: returns the weights that fit the probability of each pair best. */
function* maximise(
  pairs: readonly Levels[],
  sizes: readonly number[],
  chance: Float64Array,
  candidates: number,
): Generator<undefined, Weights> {
  const matches = sizes.map((size) => new Float64Array(size).fill(SMOOTHING / size))
  const nonMatches = sizes.map((size) => new Float64Array(size).fill(SMOOTHING / size))
  let expected = SMOOTHING
  for (const [at, levels] of pairs.entries()) {
    const share = chance[at]!
    expected += share
    for (let feature = 0; feature < levels.length; feature++) {
      const level = levels[feature]!
      if (level === MISSING) continue
      matches[feature]![level]! += share
      nonMatches[feature]![level]! += 1 - share
    }
    if (at % PAIRS_PER_STEP === 0) yield
  }
  const evidence = sizes.map((_, feature) => evidenceOf(matches[feature]!, nonMatches[feature]!))
  const share = Math.min(SHARE_MAX, expected / (candidates + 2 * SMOOTHING))
  return { prior: Math.log(share / (1 - share)), evidence }
}

/** Maximum share of matches. It keeps the weight of non-matches finite if nearly all candidates match. */
const SHARE_MAX = 0.999

/** Returns the log-likelihood ratio of each level of a feature, from the expected counts of both classes. */
function evidenceOf(matches: Float64Array, nonMatches: Float64Array): Float64Array {
  const sum = (counts: Float64Array) => counts.reduce((total, count) => total + count, 0)
  const [matchSum, nonMatchSum] = [sum(matches), sum(nonMatches)]
  const raw = Array.from(matches, (count, level) => Math.log(count / matchSum / (nonMatches[level]! / nonMatchSum)))
  const totals = Array.from(matches, (count, level) => count + nonMatches[level]!)
  return Float64Array.from(isotonic(raw, totals), (value) => Math.max(-EVIDENCE_MAX, Math.min(EVIDENCE_MAX, value)))
}

/** Isotonic regression: returns the nearest non-decreasing sequence, weighted by mass (pool adjacent violators). */
function isotonic(values: readonly number[], totals: readonly number[]): number[] {
  const pools: { value: number; mass: number; count: number }[] = []
  for (const [at, value] of values.entries()) {
    let pool = { value, mass: totals[at]!, count: 1 }
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

/** Minimum level of shared words for mutual nearest neighbors to start as probable matches. */
const INITIAL_LEVEL_MIN = 3
const INITIAL_PROBABILITY = { yes: 0.9, no: 0.02, never: 0 }
/** Minimum number of pairs to learn from. */
const PAIRS_MIN = 200

interface TrainingInput {
  comparer: Comparer
  candidates: readonly CandidatePair[]
  levels: readonly Levels[]
  /** 1 for each candidate that is not ruled out as a match, otherwise 0. */
  likely: Uint8Array
  sourceOf(index: number): string
  /** Returns true if a source lists each entity once. */
  isDeduplicated(source: string): boolean
}

/**
 * Returns the weights, learned from pairs of different sources, or the defaults if there are few. Pairs that cannot
 * match and pairs within a source that lists each entity once serve as non-matches. The latter are used for fields
 * only, because names within a source are more similar than others.
 */
export function* estimateWeights(input: TrainingInput): Generator<undefined, Weights> {
  const { comparer, candidates, levels, likely, sourceOf, isDeduplicated } = input
  const isCrossSource = ({ one, other }: CandidatePair) => sourceOf(one) !== sourceOf(other)
  const hasSources = candidates.some(isCrossSource)
  const training = candidates.flatMap((pair, at) => (!hasSources || isCrossSource(pair) ? [at] : []))
  yield
  if (training.length < PAIRS_MIN) return comparer.defaults
  const nonMatches = candidates.flatMap((pair, at) =>
    likely[at] && !isCrossSource(pair) && isDeduplicated(sourceOf(pair.one)) ? [fieldsOnly(levels[at]!)] : [],
  )
  yield
  const pairs = [...training.map((at) => levels[at]!), ...nonMatches]
  return yield* learnWeights(pairs, comparer.sizes, initialProbabilities(input, training))
}

/** Returns the initial probability of each pair before learning. */
function initialProbabilities(
  { candidates, levels, likely }: TrainingInput,
  training: readonly number[],
): Float64Array {
  const nearest = new Map<number, CandidatePair>()
  for (const at of training) {
    const pair = candidates[at]!
    for (const index of likely[at] ? [pair.one, pair.other] : []) {
      const nearer = nearest.get(index)
      if (!nearer || pair.shared > nearer.shared) nearest.set(index, pair)
    }
  }
  return Float64Array.from(training, (at) => {
    if (!likely[at]) return INITIAL_PROBABILITY.never
    const pair = candidates[at]!
    const isMutual = nearest.get(pair.one) === pair && nearest.get(pair.other) === pair
    return isMutual && levels[at]![ALL_WORDS]! >= INITIAL_LEVEL_MIN ? INITIAL_PROBABILITY.yes : INITIAL_PROBABILITY.no
  })
}

function fieldsOnly(levels: Levels): Levels {
  return levels.map((level, feature) => (feature < FIRST_FIELD ? MISSING : level))
}

/** A match or possible match with its probability and reasons. */
export interface Match {
  one: string
  other: string
  /** Probability from 0 to 1, estimated from the data. */
  probability: number
  agree: string[]
  differ: string[]
}

export interface LinkageResult {
  same: Match[]
  /** Possible matches that a person should decide. They never contain a pair that `same` merges. */
  maybe: Match[]
}

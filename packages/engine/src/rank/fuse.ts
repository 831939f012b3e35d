import fitted from './fusion-weights.json' with { type: 'json' }
import { bestRecords, byScore, type Scored } from './record-places.ts'
import { crossBridges } from './signals/bridges.ts'
import { feedback } from './signals/feedback.ts'
import { proximity } from './signals/proximity.ts'
import type { ScoredCandidate, Signal, SignalInput, SignalName } from './signals/signal.ts'
import { eachMarked } from './store.ts'

/** Signals that are added to the word score. */
const BESIDE_WORDS: readonly Signal[] = [proximity, feedback]

/** Number of candidates that are rescored: the best by words, and the best by PageRank. */
const BY_WORDS = 100
const BY_WALK = 50
/** Number of best candidates between which bridges are searched. */
const BRIDGED = 50
/** Term frequency at which a term's coverage is one half. */
const HALF_COVERED = 0.5

/** Contribution of each signal to a record's score. */
export type Given = Partial<Record<SignalName | 'words', number>>

/** A document ordinal with its score and, with `explain`, the signals' contributions. */
export interface Fused extends Scored {
  given?: Given
}

/** Options of `fuse`. */
export interface FuseOptions {
  /** Weight of names against words, from 0 to 1. */
  reach: number
  /** Document ordinals that PageRank reached. Their scores are in the scratch. */
  reached: readonly number[]
  isOn: (name: SignalName) => boolean
  /** True if the result includes the contribution of each signal. */
  explain: boolean
}

/** Returns the candidate records: the best by words and the best by PageRank. */
function gather({ view, scratch, words }: SignalInput, reached: readonly number[]): ScoredCandidate[] {
  const { scores, masses, marks } = scratch
  const byWords = bestRecords(view.store, scratch.touched, words.touched, scores, BY_WORDS)
  const byWalk = bestRecords(view.store, reached, reached.length, masses, BY_WALK)
  const greatest = byWalk[0]?.score || 1
  const places = new Set([...byWords, ...byWalk].map(({ place }) => place))
  return Array.from(places, (place) => {
    const coverage = new Float64Array(words.terms.length)
    const positions = new Int32Array(words.terms.length).fill(-1)
    eachMarked(view.store, place, Number.POSITIVE_INFINITY, marks, (mark, frequency, position) => {
      coverage[mark - 1] = Math.max(coverage[mark - 1]!, frequency / (frequency + HALF_COVERED))
      if (positions[mark - 1]! < 0) positions[mark - 1] = position
    })
    const byWords = words.best === 0 ? 0 : scores[place]! / words.best
    return { place, words: byWords, names: masses[place]! / greatest, coverage, positions }
  })
}

/**
 * Combines all signals into one order, best first. `reach` interpolates between word score and PageRank score. A
 * greater `reach` also sharpens the word scores, so that weak matches count less. Bridges then raise records that a
 * better record links to.
 */
export function fuse(asked: SignalInput, { reach, reached, isOn, explain }: FuseOptions): Fused[] {
  const { view, weights, weightOf } = asked
  const candidates = gather(asked, reached)
  const on = BESIDE_WORDS.filter(({ name }) => isOn(name))
  const values = on.map((signal) => signal.of(asked, candidates))
  const fits = Float64Array.from(candidates, ({ place, words }, at) => {
    let given = 0
    for (const value of values) given += value[at]!
    return words + given * weightOf(place)
  })
  const greatest = Math.max(...fits) || 1
  const exponent = 1 + weights.sharpening * reach
  const fused = candidates.map((candidate, at) => ({
    candidate,
    at,
    place: candidate.place,
    score: (1 - reach) * (fits[at]! / greatest) ** exponent + reach * candidate.names,
  }))
  fused.sort(byScore(view.store))
  const first = fused.slice(0, BRIDGED)
  const ordered = isOn('bridges') ? crossBridges(asked, reach, first) : first.map((each) => ({ ...each, given: 0 }))
  const least = ordered.at(-1)?.score ?? 1
  const scale = least / (fused[BRIDGED]?.score || 1)
  const rest = fused.slice(BRIDGED).map(({ place, score }) => ({ place, score: score * scale, given: 0 }))
  const all = [...ordered, ...rest]
  if (!explain) return all.map(({ place, score }) => ({ place, score }))
  const places = new Map(candidates.map(({ place }, at) => [place, at]))
  return all.map(({ place, score, given: bridges }) => {
    const at = places.get(place)!
    const { words, names } = candidates[at]!
    const beside = on.map(({ name }, signal) => [name, values[signal]![at]! / greatest])
    const given = { words: words / greatest, ...Object.fromEntries(beside), names: reach * names, bridges }
    return { place, score, given }
  })
}

/** A record with its graph score from 0 to 1. Lists of these are sorted best first. */
interface ScoredId {
  readonly id: string
  readonly score: number
}

/** Features of a question that determine how the two orders are fused. */
export interface FusionFeatures {
  always: number
  /** Weight of the question's names from 0 to 1. The graph ranks by names; the vectors do not. */
  names: number
  /** Cosine similarity of the nearest record. */
  nearest: number
  /** Difference between the cosine similarity of the first and the tenth record. */
  spread: number
  /** Relative margin of the graph's first record over its second, from 0 to 1. */
  sure: number
  /** Share of the graph's first ten that are among the ten nearest. */
  agreed: number
  /** Discounted rank of the nearest record in the graph's order: 1 for the first, 0 if it is missing. */
  found: number
}

/** Weights that determine how much the vectors count against the graph. */
export interface FusionWeights {
  /** Coefficients of the logit of the vectors' share. The logit is linear in the features. */
  readonly share: FusionFeatures
  /** Weight of a record's rank against its score in the graph's order, from 0 to 1. */
  readonly graphPlace: number
  /** Weight of a record's rank against its cosine similarity in the vector order, from 0 to 1. */
  readonly nearPlace: number
}

/** Fitted weights, generated by `npm run fit:fusion`. */
export const FUSION: FusionWeights = fitted.weights

/** Number of first records in each order that are compared. */
const FIRST = 10
/** Zero-based rank at which the discounted rank is one half. */
const HALF_PLACE = 2

/**
 * Fuses the graph's ranking and the vector ranking into one order, best first. `likeness` holds the cosine similarity
 * of each embedded record: the nearest ones and those that the graph ranked. `reach` (0 to 1) weights the names in the
 * question against its other words.
 *
 * A record without a vector keeps its position in the graph's order. Its similarity is unknown, and a record with a
 * vector must not move above it for that reason. The embedded records are fused among themselves and fill the other
 * positions.
 */
export function fuseNear(
  ranked: readonly ScoredId[],
  likeness: ReadonlyMap<string, number>,
  reach: number,
  weights: FusionWeights = FUSION,
): string[] {
  const isEmbedded = ({ id }: ScoredId) => likeness.has(id)
  const fused = fuseEmbedded(ranked.filter(isEmbedded), likeness, reach, weights)
  let next = 0
  const kept = ranked.map((record) => (isEmbedded(record) ? fused[next++]! : record.id))
  return [...kept, ...fused.slice(next)]
}

/**
 * Fuses the two orders of embedded records. The weight of each order depends only on this question. Ties keep the
 * graph's order.
 */
function fuseEmbedded(
  ranked: readonly ScoredId[],
  likeness: ReadonlyMap<string, number>,
  reach: number,
  weights: FusionWeights,
): string[] {
  const near = [...likeness].sort((one, other) => other[1] - one[1])
  const graphPlaces = new Map(ranked.map(({ id }, at) => [id, halved(at)]))
  const nearPlaces = new Map(near.map(([id], at) => [id, halved(at)]))
  const features = featuresOf(ranked, near, reach)
  const share = shareOf(features, weights)
  const nearest = features.nearest || 1
  const greatest = ranked[0]?.score || 1
  const worth = (id: string, score: number) => {
    const byGraph = weights.graphPlace * (graphPlaces.get(id) ?? 0) + ((1 - weights.graphPlace) * score) / greatest
    const likeNearest = (likeness.get(id) ?? 0) / nearest
    const byVectors = weights.nearPlace * (nearPlaces.get(id) ?? 0) + (1 - weights.nearPlace) * likeNearest
    return (1 - share) * byGraph + share * byVectors
  }
  const added = near.flatMap(([id]) => (graphPlaces.has(id) ? [] : { id, score: 0 }))
  return [...ranked, ...added]
    .map(({ id, score }, at) => ({ id, at, worth: worth(id, score) }))
    .sort((one, other) => other.worth - one.worth || one.at - other.at)
    .map(({ id }) => id)
}

function halved(place: number): number {
  return HALF_PLACE / (HALF_PLACE + place)
}

function featuresOf(
  ranked: readonly ScoredId[],
  near: readonly (readonly [string, number])[],
  names: number,
): FusionFeatures {
  const [first, second] = ranked
  const [nearest, tenth] = [near[0], near[Math.min(FIRST, near.length) - 1]]
  const nearestIds = new Set(near.slice(0, FIRST).map(([id]) => id))
  const place = ranked.findIndex(({ id }) => id === nearest?.[0])
  return {
    always: 1,
    names,
    nearest: nearest?.[1] ?? 0,
    spread: (nearest?.[1] ?? 0) - (tenth?.[1] ?? 0),
    sure: 1 - (second?.score ?? 0) / (first?.score || 1),
    agreed: ranked.slice(0, FIRST).filter(({ id }) => nearestIds.has(id)).length / FIRST,
    found: place === -1 ? 0 : halved(place),
  }
}

/** Returns the vectors' share of a record's score, from 0 to 1. */
function shareOf(features: FusionFeatures, { share }: FusionWeights): number {
  const names = Object.keys(share) as (keyof FusionFeatures)[]
  return 1 / (1 + Math.exp(-names.reduce((sum, name) => sum + share[name] * features[name], 0)))
}

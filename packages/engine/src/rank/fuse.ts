import fitted from './fusion-weights.json' with { type: 'json' }
import { byScore, type Scored, topRecords } from './record-doc-ids.ts'
import { applyBridges } from './signals/bridges.ts'
import { feedback } from './signals/feedback.ts'
import { proximity } from './signals/proximity.ts'
import type { ScoredCandidate, Signal, SignalInput, SignalName } from './signals/signal.ts'
import { eachMarked } from './store.ts'

/** Signals that are added to the word score. */
const ADDITIVE_SIGNALS: readonly Signal[] = [proximity, feedback]

/** Number of records that are rescored: the best by words, and the best by PageRank. */
const WORD_CANDIDATES = 100
const PAGERANK_CANDIDATES = 50
/** Number of best candidates between which bridges are searched. */
const BRIDGE_CANDIDATES = 50
/** Term frequency at which a term's coverage is one half. */
const HALF_COVERAGE = 0.5

/** Contribution of each signal to a record's score. */
export type SignalContributions = Partial<Record<SignalName | 'words', number>>

/** A document ordinal with its score and, with `explain`, the signals' contributions. */
export interface FusedScore extends Scored {
  given?: SignalContributions
}

interface FuseOptions {
  /** Weight of the PageRank score against the word score, from 0 to 1. */
  nameWeight: number
  /** Document ordinals with a PageRank score. The scores are in the scratch. */
  reached: readonly number[]
  isOn: (name: SignalName) => boolean
  /** True if the result includes the contribution of each signal. */
  explain: boolean
}

/** Returns the candidate records: the best by words and the best by PageRank. */
function gather({ view, scratch, words }: SignalInput, reached: readonly number[]): ScoredCandidate[] {
  const { scores, graphScores, marks } = scratch
  const byWords = topRecords(view.store, scratch.touched, words.touched, scores, WORD_CANDIDATES)
  const byPageRank = topRecords(view.store, reached, reached.length, graphScores, PAGERANK_CANDIDATES)
  const greatest = byPageRank[0]?.score || 1
  const docIds = new Set([...byWords, ...byPageRank].map(({ docId }) => docId))
  return Array.from(docIds, (docId) => {
    const coverage = new Float64Array(words.terms.length)
    const positions = new Int32Array(words.terms.length).fill(-1)
    eachMarked(view.store, docId, Number.POSITIVE_INFINITY, marks, (mark, frequency, position) => {
      coverage[mark - 1] = Math.max(coverage[mark - 1]!, frequency / (frequency + HALF_COVERAGE))
      if (positions[mark - 1]! < 0) positions[mark - 1] = position
    })
    const byWords = words.best === 0 ? 0 : scores[docId]! / words.best
    return { docId, words: byWords, names: graphScores[docId]! / greatest, coverage, positions }
  })
}

/**
 * Combines all signals into one order, best first. `nameWeight` interpolates between the word score (0) and the
 * PageRank score (1). A greater weight also sharpens the word scores, so that weak matches count less. Bridges then
 * raise records that share a rare name with a better record.
 */
export function fuse(input: SignalInput, { nameWeight, reached, isOn, explain }: FuseOptions): FusedScore[] {
  const { view, weights, weightOf } = input
  const candidates = gather(input, reached)
  const enabled = ADDITIVE_SIGNALS.filter(({ name }) => isOn(name))
  const values = enabled.map((signal) => signal.of(input, candidates))
  const wordScores = Float64Array.from(candidates, ({ docId, words }, at) => {
    let bonus = 0
    for (const value of values) bonus += value[at]!
    return words + bonus * weightOf(docId)
  })
  const greatest = Math.max(...wordScores) || 1
  const exponent = 1 + weights.sharpening * nameWeight
  const fused = candidates.map((candidate, at) => ({
    candidate,
    at,
    docId: candidate.docId,
    score: (1 - nameWeight) * (wordScores[at]! / greatest) ** exponent + nameWeight * candidate.names,
  }))
  fused.sort(byScore(view.store))
  const first = fused.slice(0, BRIDGE_CANDIDATES)
  const bridged = isOn('bridges') ? applyBridges(input, nameWeight, first) : first
  const ordered = bridged.map((each) => ({ given: 0, ...each }))
  const least = ordered.at(-1)?.score ?? 1
  const scale = least / (fused[BRIDGE_CANDIDATES]?.score || 1)
  const rest = fused.slice(BRIDGE_CANDIDATES).map(({ docId, score }) => ({ docId, score: score * scale, given: 0 }))
  const all = [...ordered, ...rest]
  if (!explain) return all.map(({ docId, score }) => ({ docId, score }))
  const docIds = new Map(candidates.map(({ docId }, at) => [docId, at]))
  return all.map(({ docId, score, given: bridges }) => {
    const at = docIds.get(docId)!
    const { words, names } = candidates[at]!
    const bonuses = enabled.map(({ name }, signal) => [name, values[signal]![at]! / greatest])
    const given = { words: words / greatest, ...Object.fromEntries(bonuses), names: nameWeight * names, bridges }
    return { docId, score, given }
  })
}

/** A record with its graph score from 0 to 1. Lists of these are sorted best first. */
interface ScoredId {
  readonly id: string
  readonly score: number
}

/** Features of a question that determine how the two orders are fused. */
interface FusionFeatures {
  always: number
  /** Weight of the names in the question, from 0 to 1. The graph uses names for ranking; the vectors do not. */
  names: number
  /** Cosine similarity of the nearest record. */
  nearest: number
  /** Difference between the cosine similarity of the first and the tenth record. */
  spread: number
  /** Relative score difference of the first and second record in the graph's order, from 0 to 1. */
  sure: number
  /** Share of the first ten records in the graph's order that are among the ten nearest by vector. */
  agreed: number
  /** Discounted rank of the vectors' nearest record in the graph's order: 1 for the first, 0 if it is missing. */
  found: number
}

/** Weights of the vector ranking against the graph's ranking. */
export interface FusionWeights {
  /** Coefficients of a logistic regression. It gives the share of the vector ranking in a record's score. */
  readonly share: FusionFeatures
  /** Weight of a record's rank against its score within the graph's ranking, from 0 to 1. */
  readonly graphPlace: number
  /** Weight of a record's rank against its cosine similarity within the vector ranking, from 0 to 1. */
  readonly nearPlace: number
}

/** Fitted weights, generated by `npm run fit:fusion`. */
export const FUSION: FusionWeights = fitted.weights

/** Number of leading records of each order whose overlap is measured. */
const FIRST = 10
/** Zero-based rank at which the discounted rank is one half. */
const HALF_RANK = 2

/**
 * Fuses the graph's ranking and the vector ranking into one order, best first. `similarities` has the cosine similarity
 * of each embedded record: the nearest ones and those that the graph ranked. `nameWeight` (0 to 1) weights the names in
 * the question against its other words.
 *
 * A record without a vector keeps its position in the graph's order, because its similarity is unknown. The embedded
 * records are fused among themselves and fill the other positions.
 */
export function fuseNear(
  ranked: readonly ScoredId[],
  similarities: ReadonlyMap<string, number>,
  nameWeight: number,
  weights: FusionWeights = FUSION,
): string[] {
  const isEmbedded = ({ id }: ScoredId) => similarities.has(id)
  const fused = fuseEmbedded(ranked.filter(isEmbedded), similarities, nameWeight, weights)
  let next = 0
  const order = ranked.map((record) => (isEmbedded(record) ? fused[next++]! : record.id))
  return [...order, ...fused.slice(next)]
}

/** Fuses the two orders of embedded records with weights of this question. Ties keep the graph's order. */
function fuseEmbedded(
  ranked: readonly ScoredId[],
  similarities: ReadonlyMap<string, number>,
  nameWeight: number,
  weights: FusionWeights,
): string[] {
  const near = [...similarities].sort((one, other) => other[1] - one[1])
  const graphRanks = new Map(ranked.map(({ id }, at) => [id, discountedRank(at)]))
  const nearRanks = new Map(near.map(([id], at) => [id, discountedRank(at)]))
  const features = featuresOf(ranked, near, nameWeight)
  const share = shareOf(features, weights)
  const nearest = features.nearest || 1
  const greatest = ranked[0]?.score || 1
  const fusedScore = (id: string, score: number) => {
    const byGraph = weights.graphPlace * (graphRanks.get(id) ?? 0) + ((1 - weights.graphPlace) * score) / greatest
    const similarity = (similarities.get(id) ?? 0) / nearest
    const byVectors = weights.nearPlace * (nearRanks.get(id) ?? 0) + (1 - weights.nearPlace) * similarity
    return (1 - share) * byGraph + share * byVectors
  }
  const added = near.flatMap(([id]) => (graphRanks.has(id) ? [] : { id, score: 0 }))
  return [...ranked, ...added]
    .map(({ id, score }, at) => ({ id, at, score: fusedScore(id, score) }))
    .sort((one, other) => other.score - one.score || one.at - other.at)
    .map(({ id }) => id)
}

function discountedRank(rank: number): number {
  return HALF_RANK / (HALF_RANK + rank)
}

function featuresOf(
  ranked: readonly ScoredId[],
  near: readonly (readonly [string, number])[],
  names: number,
): FusionFeatures {
  const [first, second] = ranked
  const [nearest, tenth] = [near[0], near[Math.min(FIRST, near.length) - 1]]
  const nearestIds = new Set(near.slice(0, FIRST).map(([id]) => id))
  const rank = ranked.findIndex(({ id }) => id === nearest?.[0])
  return {
    always: 1,
    names,
    nearest: nearest?.[1] ?? 0,
    spread: (nearest?.[1] ?? 0) - (tenth?.[1] ?? 0),
    sure: 1 - (second?.score ?? 0) / (first?.score || 1),
    agreed: ranked.slice(0, FIRST).filter(({ id }) => nearestIds.has(id)).length / FIRST,
    found: rank === -1 ? 0 : discountedRank(rank),
  }
}

/** Returns the vectors' share of a record's score, from 0 to 1. */
function shareOf(features: FusionFeatures, { share }: FusionWeights): number {
  const names = Object.keys(share) as (keyof FusionFeatures)[]
  return 1 / (1 + Math.exp(-names.reduce((sum, name) => sum + share[name] * features[name], 0)))
}

import fitted from './fusion-weights.json' with { type: 'json' }

/** A record with a score of the graph, from 0 to 1, the best first. */
interface Found {
  readonly id: string
  readonly score: number
}

/** What is known of a question before the two orders are brought together. */
export interface FusionFeatures {
  always: number
  /** From 0 to 1: how far its names lead, of which the graph knows more. */
  names: number
  /** The cosine of the nearest record, */
  nearest: number
  /** and how far it stands out before the tenth. */
  spread: number
  /** How far the graph's first stands out before its second, from 0 to 1. */
  sure: number
  /** Share of the graph's first ten that are among the ten nearest. */
  agreed: number
  /** What place the nearest record has in the graph's order: 1 for the first, 0 for none. */
  found: number
}

/** What decides how much the vectors count beside the graph. */
export interface FusionWeights {
  /** The logit of their share is linear in these. */
  readonly share: FusionFeatures
  /** Of what the graph says of a record, how much its place counts beside its score, from 0 to 1; */
  readonly graphPlace: number
  /** the same of the vectors. */
  readonly nearPlace: number
}

/** The fitted weights; decision 0049 has their figures. */
export const FUSION: FusionWeights = fitted.weights

/** Places of either order that are compared. */
const FIRST = 10
/** At what place a record counts half of what the first counts. */
const HALF_PLACE = 2

/**
 * The records that the graph ranked and those that are near, as one order, the best first. `likeness` has the cosine of
 * each near record, and of each that the graph ranked where it has vectors; `reach` says from 0 to 1 how far the names
 * of the question lead. How much either order counts follows from this question alone. Equal sums stay in the graph's
 * order.
 */
export function fuseNear(
  ranked: readonly Found[],
  likeness: ReadonlyMap<string, number>,
  reach: number,
  weights: FusionWeights = FUSION,
): string[] {
  const near = [...likeness].sort((one, other) => other[1] - one[1])
  const graphPlaces = new Map(ranked.map(({ id }, at) => [id, halved(at)]))
  const nearPlaces = new Map(near.map(([id], at) => [id, halved(at)]))
  const features = featuresOf(ranked, near, reach)
  const share = shareOf(features, weights)
  const nearest = features.nearest || 1
  const worth = (id: string, score: number) => {
    const byGraph = weights.graphPlace * (graphPlaces.get(id) ?? 0) + (1 - weights.graphPlace) * score
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
  ranked: readonly Found[],
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

/** From 0 to 1: how much of a record's worth is what the vectors say. */
function shareOf(features: FusionFeatures, { share }: FusionWeights): number {
  const names = Object.keys(share) as (keyof FusionFeatures)[]
  return 1 / (1 + Math.exp(-names.reduce((sum, name) => sum + share[name] * features[name], 0)))
}

import { byScore, type Scored } from './best.ts'
import { bestRecords } from './passages.ts'
import { crossBridges } from './signals/bridges.ts'
import { feedback } from './signals/feedback.ts'
import { proximity } from './signals/proximity.ts'
import type { Asked, Candidate, Signal, SignalName } from './signals/signal.ts'
import { eachMarked } from './store.ts'

/** Signals that are added to the words' score. */
const BESIDE_WORDS: readonly Signal[] = [proximity, feedback]

/** The best by words, and of what the walk reached, that are looked at closely. */
const BY_WORDS = 100
const BY_WALK = 50
/** The best of these, between which bridges are looked for. */
const BRIDGED = 50
/** Frequency at which a term is half covered. */
const HALF_COVERED = 0.5

/** What each signal gave a record. */
export type Given = Partial<Record<SignalName | 'words', number>>

/** A place with its score and, when asked for, what it is made of. */
export interface Fused extends Scored {
  given?: Given
}

/** How a question is fused. */
export interface FuseOptions {
  /** From 0 to 1: how far names lead. */
  reach: number
  /** Places that the walk reached, with their masses in the scratch. */
  reached: readonly number[]
  isOn: (name: SignalName) => boolean
  /** Whether to say what each signal gave. */
  explain: boolean
}

/** The records that may answer: the best by words, and the best of what the walk reached. */
function gather({ view, scratch, words }: Asked, reached: readonly number[]): Candidate[] {
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
 * One order of all signals. What is added to the words says how well a record fits by itself, the walk says where names
 * lead; the farther names lead, the more the second counts, and the less of the first counts that is not about the
 * best. Bridges then lift what a better record leads to.
 */
export function fuse(asked: Asked, { reach, reached, isOn, explain }: FuseOptions): Fused[] {
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

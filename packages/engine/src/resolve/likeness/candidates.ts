import { AGREES, FIRST_FIELD, type Levels, MISSING } from './compare.ts'
import type { NameFit } from './name-fit.ts'
import type { Population } from './population.ts'

/** Two subjects that may be one, as places in the population, the lower first. */
export interface CandidatePair {
  one: number
  other: number
  /** Weight of the words that they share. */
  shared: number
}

/** Others that a subject is compared with, of other sources and of its own: those that share the rarest words. */
const ABROAD_MAX = 10
const AT_HOME_MAX = 6
/** Words by which a subject is looked up, its rarest. */
const WORDS_PER_SUBJECT = 24
/** A word of more subjects tells too little, and would cost their number each time. */
const WORD_SUBJECTS_MAX = 400

/**
 * The pairs worth comparing: each subject's nearest by shared rare words. Yields now and then, so that the caller can
 * let other work in.
 */
export function* findCandidates({ subjects, counts, idf }: Population): Generator<undefined, CandidatePair[]> {
  const lists = new Map<number, number[]>()
  for (const [place, { tokens }] of subjects.entries()) {
    for (const token of lookedUp(tokens)) {
      const list = lists.get(token)
      if (list) list.push(place)
      else lists.set(token, [place])
    }
    yield
  }
  function lookedUp(tokens: readonly number[]): number[] {
    return tokens
      .filter((token) => counts[token]! > 1 && counts[token]! <= WORD_SUBJECTS_MAX)
      .sort((a, b) => counts[a]! - counts[b]! || a - b)
      .slice(0, WORDS_PER_SUBJECT)
  }
  const sources = new Set(subjects.map(({ subject }) => subject.source)).size
  const pairs = new Map<number, CandidatePair>()
  for (const [place, { tokens, subject }] of subjects.entries()) {
    const { source } = subject
    const weights = new Map<number, number>()
    for (const token of lookedUp(tokens)) {
      const weight = idf[token]! ** 2
      for (const other of lists.get(token) ?? []) {
        if (other !== place) weights.set(other, (weights.get(other) ?? 0) + weight)
      }
    }
    const left = { abroad: ABROAD_MAX, atHome: sources > 1 ? AT_HOME_MAX : ABROAD_MAX }
    for (const [other, shared] of [...weights].sort(([a, one], [b, other]) => other - one || a - b)) {
      const where = subjects[other]!.subject.source === source ? 'atHome' : 'abroad'
      if (left[where]-- <= 0) continue
      const [low, high] = place < other ? [place, other] : [other, place]
      pairs.set(low * subjects.length + high, { one: low, other: high, shared })
    }
    yield
  }
  return [...pairs.values()]
}

/** The largest share of things with a double in a source that is said to hold each thing once. */
const DOUBLES_SHARE = 0.15
/** Fewer doubles show nothing of their source. */
const DOUBLES_MIN = 50
/** The least share of common fields in which doubles agree. */
const AGREEMENT_SHARE = 0.75

/** What sources hold more than once. */
interface Doubles {
  /** The sources of which many things have a double. */
  sources: ReadonlySet<string>
  /** The candidates that are doubles, by their place in the list. */
  pairs: ReadonlySet<number>
}

/**
 * Finds the doubles within sources: two of a name that fits and with nothing that contradicts. Namesakes and siblings
 * are none: something tells them apart.
 */
export function findDoubles(
  { fields, subjects }: Population,
  pairs: readonly CandidatePair[],
  levels: readonly Levels[],
  fits: readonly NameFit[],
): Doubles {
  const isDouble = (at: number): boolean => {
    if (fits[at] !== 'same') return false
    let [compared, agree] = [0, 0]
    for (const [field, { kind }] of fields.entries()) {
      const level = levels[at]![FIRST_FIELD + field]!
      if (level === MISSING) continue
      compared += 1
      if (level >= AGREES[kind]) agree += 1
      // A slip of the pen makes a number alike, another number none.
      else if (kind !== 'words' && (kind !== 'digits' || level === 0)) return false
    }
    return compared > 0 && agree >= AGREEMENT_SHARE * compared
  }
  const doubles = new Map<string, Set<number>>()
  const found = new Set<number>()
  const sizes = new Map<string, number>()
  for (const { subject } of subjects) sizes.set(subject.source, (sizes.get(subject.source) ?? 0) + 1)
  for (const [at, { one, other }] of pairs.entries()) {
    const { source } = subjects[one]!.subject
    if (source !== subjects[other]!.subject.source || !isDouble(at)) continue
    found.add(at)
    doubles.set(source, (doubles.get(source) ?? new Set()).add(one).add(other))
  }
  const isMany = ([source, things]: [string, Set<number>]) =>
    things.size >= Math.max(DOUBLES_MIN, DOUBLES_SHARE * sizes.get(source)!)
  return { sources: new Set([...doubles].filter(isMany).map(([source]) => source)), pairs: found }
}

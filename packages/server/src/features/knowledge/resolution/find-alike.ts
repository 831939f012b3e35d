import { type Candidate, findCandidates } from './candidates.ts'
import { ALL_WORDS, createComparer, type Levels, NAME } from './compare.ts'
import { type Join, type Judge, partition, type ScoredPair } from './partition.ts'
import { openPopulation, type Population, type Subject } from './population.ts'
import { trustedJoins } from './trusted.ts'
import { haveOwnWords } from './veto.ts'
import { learnWeights, probabilityOf, scoreOf, type Weights } from './weights.ts'

/** Two subjects that are taken for one, how sure that is, and what agrees. */
export interface Alike {
  one: string
  other: string
  /** From 0 to 1, as the data itself tells. */
  probability: number
  agree: string[]
  differ: string[]
}

/** What is known of the subjects beside what they say. */
export interface AlikeOptions {
  /** Whether two cannot be one for a reason from outside: identifiers, or a person. */
  isBarred(one: string, other: string): boolean
  /** Whether a thing of the type goes by its name, so that an equal one alone says much. */
  isNamed: boolean
}

/** At first sight two are one when each is the other's nearest, and so much of their words is the same. */
const FIRST_SIGHT_LEVEL = 3
const FIRST_SIGHT = { yes: 0.9, no: 0.02 }
/** What all words in common add to the rank. */
const RANK_BY_WORDS = 10
/** Fewer pairs teach nothing. */
const PAIRS_MIN = 200
/** A source in which more of the things have a double of nearly the same name does not tell its things apart. */
const DOUBLES_SHARE = 0.15
/** Fewer doubles show nothing of their source. */
const DOUBLES_MIN = 50
const DOUBLE_NAME_LEVEL = 6
const DOUBLE_SCORE = 2
/** Agreement worth less than this is not told as a reason. */
const TELLING = 1

/**
 * Finds which subjects of one type are one thing by how much they are alike, without examples: the data shows what
 * agreement in each property is worth, whatever the order in which the things came. Yields often, so that the
 * caller can let other work in.
 */
export function* findAlike(
  given: readonly Subject[],
  { isBarred, isNamed }: AlikeOptions,
): Generator<undefined, Alike[]> {
  const subjects = yield* inOrder(given)
  const population = yield* openPopulation(subjects)
  const comparer = createComparer(population, isNamed)
  const candidates = yield* findCandidates(population)
  const levels: Levels[] = []
  for (const { one, other } of candidates) {
    levels.push(comparer.levels(population.subjects[one]!, population.subjects[other]!))
    yield
  }
  const sourceOf = (place: number) => subjects[place]!.source
  const isAbroad = ({ one, other }: Candidate) => sourceOf(one) !== sourceOf(other)
  const hasSources = new Set(subjects.map(({ source }) => source)).size > 1
  const taught = candidates.flatMap((pair, at) => (!hasSources || isAbroad(pair) ? [at] : []))
  const weights = taught.length < PAIRS_MIN ? comparer.usual : yield* learn(candidates, levels, taught, comparer.sizes)
  const scored: ScoredPair[] = []
  for (const [at, pair] of candidates.entries()) {
    const score = scoreOf(weights, levels[at]!)
    scored.push({ ...pair, score, rank: score + RANK_BY_WORDS * closeness(population, pair) })
    yield
  }
  const doubled = doubledSources(population, scored, levels)
  const usable = scored.filter((pair) => isAbroad(pair) || doubled.has(sourceOf(pair.one)))
  const judge: Judge = {
    score: (one, other) => scoreOf(weights, comparer.levels(population.subjects[one]!, population.subjects[other]!)),
    isBarred: (one, other) =>
      isBarred(subjects[one]!.id, subjects[other]!.id) ||
      (weights === comparer.usual && haveOwnWords(population, population.subjects[one]!, population.subjects[other]!)),
  }
  const joins = yield* partition(population, usable, (source) => !doubled.has(source), judge)
  const sizes = new Map<string, number>()
  for (const { source } of subjects) sizes.set(source, (sizes.get(source) ?? 0) + 1)
  yield
  const usualScore = (one: number, other: number) =>
    scoreOf(comparer.usual, comparer.levels(population.subjects[one]!, population.subjects[other]!))
  const found: Alike[] = []
  for (const join of trustedJoins(joins, { pairs: scored, sizes, sourceOf, usualScore })) {
    found.push(toAlike(population, join, weights, comparer))
    yield
  }
  return found
}

/** The subjects sorted by what they say, a run at a time, so that no single step takes long. */
function* inOrder(given: readonly Subject[]): Generator<undefined, Subject[]> {
  let runs: { subject: Subject; text: string }[][] = []
  for (let at = 0; at < given.length; at += RUN_SUBJECTS) {
    const run = given.slice(at, at + RUN_SUBJECTS).map((subject) => {
      const { id, source, names, properties } = subject
      return { subject, text: JSON.stringify([names, Object.entries(properties).sort(), source, id]) }
    })
    runs.push(run.sort((one, other) => (one.text < other.text ? -1 : 1)))
    yield
  }
  while (runs.length > 1) {
    const merged: typeof runs = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* mergedRuns(runs[at]!, runs[at + 1] ?? []))
    runs = merged
  }
  return (runs[0] ?? []).map(({ subject }) => subject)
}

/** Subjects sorted in one step: a millisecond or two. */
const RUN_SUBJECTS = 500

function* mergedRuns<T extends { text: string }>(one: T[], other: T[]): Generator<undefined, T[]> {
  const merged: T[] = []
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    const isFirst = j >= other.length || (i < one.length && one[i]!.text <= other[j]!.text)
    merged.push(isFirst ? one[i++]! : other[j++]!)
    if (merged.length % RUN_SUBJECTS === 0) yield
  }
  return merged
}

/** Cosine of all words of two subjects, rare words weighing more. */
function closeness({ subjects, idf }: Population, { one, other }: Candidate): number {
  const [a, b] = [subjects[one]!.tokens, subjects[other]!.tokens]
  const weight = (tokens: readonly number[]) => tokens.reduce((sum, token) => sum + idf[token]! ** 2, 0)
  const theirs = new Set(b)
  return weight(a.filter((token) => theirs.has(token))) / (Math.sqrt(weight(a) * weight(b)) || 1)
}

function learn(
  candidates: readonly Candidate[],
  levels: readonly Levels[],
  taught: readonly number[],
  sizes: readonly number[],
): Generator<undefined, Weights> {
  const nearest = new Map<number, Candidate>()
  for (const at of taught) {
    const pair = candidates[at]!
    for (const place of [pair.one, pair.other]) {
      const held = nearest.get(place)
      if (!held || pair.shared > held.shared) nearest.set(place, pair)
    }
  }
  const likely = Float64Array.from(taught, (at) => {
    const pair = candidates[at]!
    const isMutual = nearest.get(pair.one) === pair && nearest.get(pair.other) === pair
    return isMutual && levels[at]![ALL_WORDS]! >= FIRST_SIGHT_LEVEL ? FIRST_SIGHT.yes : FIRST_SIGHT.no
  })
  return learnWeights(
    taught.map((at) => levels[at]!),
    sizes,
    likely,
  )
}

/** The sources that hold things more than once. */
function doubledSources(
  { subjects }: Population,
  scored: readonly (Candidate & { score: number })[],
  levels: readonly Levels[],
): Set<string> {
  const doubles = new Map<string, Set<number>>()
  const sizes = new Map<string, number>()
  for (const { subject } of subjects) sizes.set(subject.source, (sizes.get(subject.source) ?? 0) + 1)
  for (const [at, { one, other, score }] of scored.entries()) {
    const { source } = subjects[one]!.subject
    const isDouble = score >= DOUBLE_SCORE && levels[at]![NAME]! >= DOUBLE_NAME_LEVEL
    if (!isDouble || source !== subjects[other]!.subject.source) continue
    const found = doubles.get(source) ?? new Set()
    doubles.set(source, found.add(one).add(other))
  }
  return new Set(
    [...doubles].flatMap(([source, found]) =>
      found.size >= Math.max(DOUBLES_MIN, DOUBLES_SHARE * sizes.get(source)!) ? [source] : [],
    ),
  )
}

function toAlike(
  { subjects }: Population,
  { one, other, score }: Join,
  weights: Weights,
  { levels, labels }: ReturnType<typeof createComparer>,
): Alike {
  const found = levels(subjects[one]!, subjects[other]!)
  const worth = labels.map((label, at) => ({ label, value: found[at]! < 0 ? 0 : weights.evidence[at]![found[at]!]! }))
  return {
    one: subjects[one]!.subject.id,
    other: subjects[other]!.subject.id,
    probability: probabilityOf(score),
    agree: worth
      .filter(({ value }) => value >= TELLING)
      .sort((a, b) => b.value - a.value)
      .map(({ label }) => label),
    differ: worth.filter(({ value }) => value <= -TELLING).map(({ label }) => label),
  }
}

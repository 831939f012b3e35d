import { type Candidate, findCandidates } from './candidates.ts'
import { createComparer, FIRST_FIELD, type Levels, MISSING, type Weights } from './compare.ts'
import { doubledSources } from './doubles.ts'
import { isolate } from './isolate.ts'
import { createNameFit, type NameFit } from './name-fit.ts'
import { mayBeOne, type PairKind, readPairKinds } from './pair-kinds.ts'
import { type Join, type Judge, partition } from './partition.ts'
import { openPopulation, type Population, type Prepared, type Subject } from './population.ts'
import { type LikelyPair, trustedJoins } from './trusted.ts'
import { weigh } from './weigh.ts'
import { probabilityOf, scoreOf } from './weights.ts'

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
  /** Told of each pair that could not be compared, and so is taken for two things. */
  onFailed(one: string, other: string, error: unknown): void
  /** Whether a thing of the type goes by its name, so that an equal one alone says much. */
  isNamed: boolean
}

/** What all words in common add to the rank. */
const RANK_BY_WORDS = 10
/** Among the things of one cluster two whose names are apart count at most so much. */
const APART_SCORE = -5
/** Kinds of pairs that are more than alike in their names. */
const MARKED: ReadonlySet<PairKind> = new Set(['coded', 'keyed'])
/** Agreement worth less than this is not told as a reason. */
const TELLING = 1

/**
 * Finds which subjects of one type are one thing by how much they are alike, without examples: the data shows what
 * agreement in each property is worth, whatever the order in which the things came. Yields often, so that the
 * caller can let other work in.
 */
export function* findAlike(
  given: readonly Subject[],
  { isNamed, ...outside }: AlikeOptions,
): Generator<undefined, Alike[]> {
  const subjects = yield* inOrder(given)
  const population = yield* openPopulation(subjects)
  const { comparer, fitter, isBarred, hasFailed } = isolate({
    comparer: createComparer(population, isNamed),
    fitter: createNameFit(population),
    ...outside,
  })
  const pairOf = ({ one, other }: Pick<Candidate, 'one' | 'other'>) =>
    [population.subjects[one]!, population.subjects[other]!] as const
  const candidates = yield* findCandidates(population)
  const levels: Levels[] = []
  const fits: NameFit[] = []
  for (const pair of candidates) {
    levels.push(comparer.levels(...pairOf(pair)))
    fits.push(fitter.fitOf(...pairOf(pair)))
    yield
  }
  const doubled = doubledSources(population, candidates, levels, fits)
  const kinds = yield* readPairKinds(population, { candidates, levels, fits, fitter, comparer, doubled })
  const likely = Uint8Array.from(kinds.ofCandidates, (kind, at) =>
    Number(mayBeOne(kind) && !hasFailed(...pairOf(candidates[at]!))),
  )
  const sourceOf = (place: number) => subjects[place]!.source
  const keepsApart = (source: string) => !doubled.has(source)
  const isAbroad = ({ one, other }: Candidate) => sourceOf(one) !== sourceOf(other)
  const weights = yield* weigh({ comparer, candidates, levels, likely, sourceOf, keepsApart })
  /** Whether nothing is known of a pair but that their names are alike, which others of the type say more than. */
  const isBare = (at: number) =>
    !isNamed &&
    weights !== comparer.usual &&
    !MARKED.has(kinds.ofCandidates[at]!) &&
    !areDescribed(population, levels[at]!, ...pairOf(candidates[at]!))
  const pairs: LikelyPair[] = []
  for (const [at, pair] of candidates.entries()) {
    yield
    if (!likely[at] || isBare(at)) continue
    const score = scoreOf(weights, levels[at]!)
    const rank = score + RANK_BY_WORDS * closeness(population, pair)
    pairs.push({ ...pair, score, rank, kind: kinds.ofCandidates[at]! })
  }
  const usable = pairs.filter((pair) => isAbroad(pair) || doubled.has(sourceOf(pair.one)))
  const judge: Judge = {
    score: (one, other) => {
      const [a, b] = pairOf({ one, other })
      const score = scoreOf(weights, comparer.levels(a, b))
      return kinds.of(a, b) === 'apart' || hasFailed(a, b) ? Math.min(score, APART_SCORE) : score
    },
    isBarred: (one, other) => isBarred(subjects[one]!.id, subjects[other]!.id),
  }
  const joins = yield* partition(population, usable, keepsApart, judge)
  const sizes = new Map<string, number>()
  for (const { source } of subjects) sizes.set(source, (sizes.get(source) ?? 0) + 1)
  yield
  const found: Alike[] = []
  for (const join of yield* trustedJoins(joins, { pairs, sizes, sourceOf, keepsApart })) {
    found.push(toAlike(population, join, weights, comparer))
    yield
  }
  return found
}

/** Whether both say something in one field that is more than their name again. */
function areDescribed({ fields }: Population, levels: Levels, one: Prepared, other: Prepared): boolean {
  const repeatsName = ({ valueTokens, nameTokens }: Prepared, field: number) => {
    const tokens = valueTokens[field]
    return tokens?.length === nameTokens.length && tokens.every((token) => nameTokens.includes(token))
  }
  return fields.some(
    (_, field) => levels[FIRST_FIELD + field] !== MISSING && !(repeatsName(one, field) && repeatsName(other, field)),
  )
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

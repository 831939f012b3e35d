import type { Thing } from '../record-content.ts'
import { type Comparer, createComparer, FIRST_FIELD, type Levels, MISSING, type Weights } from './compare.ts'
import {
  type CandidatePair,
  createNameFit,
  findCandidates,
  findDoubles,
  type Isolated,
  isolate,
  isVetoed,
  type NameFit,
} from './name-fit.ts'
import { mayBeOne, type PairKind, type PairKinds, readPairKinds } from './pair-kinds.ts'
import {
  createLead,
  type Judge,
  partition,
  SCORE_MIN,
  type ScoredPair,
  SURENESS_MIN,
  suggestedPairs,
} from './partition.ts'
import { createCosine, inOrder, openPopulation, type Population, type Prepared, type Subject } from './population.ts'
import { agreementOf, LEAD_MIN, type LikelyPair, trustedJoins } from './trusted.ts'
import { type Alike, probabilityOf, scoreOf, type WhoIsOne, weigh } from './weights.ts'

/** Knowledge of the caller about the subjects beyond their fields. */
export interface AlikeOptions {
  /** Returns true if identifiers or a person's decision rule out a match. */
  isBarred(one: string, other: string): boolean
  /** Called for each pair whose comparison failed. It counts as a non-match. */
  onFailed(one: string, other: string, error: unknown): void
  /** True if entities of the type are identified by name, so that an equal name is strong evidence. */
  isNamed: boolean
}

/** Weight of the cosine similarity of all words in the rank. */
const RANK_BY_WORDS = 10
/** Maximum score within a cluster of a pair whose names do not fit. */
const APART_SCORE = -5
/** Kinds of pairs with more evidence than similar names. */
const MARKED: ReadonlySet<PairKind> = new Set(['coded', 'keyed'])
/** Maximum margin. A greater one adds no evidence. */
const LEAD_MAX = 8
/** Minimum log-likelihood ratio of a feature that is reported as a reason. */
const TELLING = 1

/**
 * Finds matches and possible matches among subjects of one type by unsupervised record linkage. The weights of the
 * features are learned from the data, independently of the order of the subjects. Yields often, so that the caller can
 * run other work.
 */
export function* findAlike(
  given: readonly Subject[],
  { isNamed, ...outside }: AlikeOptions,
): Generator<undefined, WhoIsOne> {
  const subjects = yield* inOrder(given)
  const population = yield* openPopulation(subjects)
  const tools = isolate({
    comparer: createComparer(population, isNamed),
    fitter: createNameFit(population),
    ...outside,
  })
  const compared = yield* compareCandidates(population, tools)
  const { comparer, hasFailed } = tools
  const { weights, doubled, doubles, kinds } = compared
  const pairs = yield* scorePairs(population, tools, { ...compared, isNamed })
  const sourceOf = (place: number) => subjects[place]!.source
  const keepsApart = (source: string) => !doubled.has(source)
  const isUsable = ({ one, other }: CandidatePair) => sourceOf(one) !== sourceOf(other) || doubled.has(sourceOf(one))
  const isDouble = (one: number, other: number) => doubles.has(placesOf(one, other))
  const ahead = new Set(pairs.likely.filter(({ isAhead }) => isAhead).map(({ one, other }) => placesOf(one, other)))
  const judge: Judge = {
    score: (one, other) => {
      const [a, b] = [population.subjects[one]!, population.subjects[other]!]
      const score = scoreOf(weights, comparer.levels(a, b))
      if (ahead.has(placesOf(one, other))) return 0
      return kinds.of(a, b) === 'apart' || hasFailed(a, b) ? Math.min(score, APART_SCORE) : score
    },
    isBarred: (one, other) => tools.isBarred(subjects[one]!.id, subjects[other]!.id),
  }
  const joins = yield* partition(population, pairs.likely.filter(isUsable), keepsApart, judge)
  const sizes = new Map<string, number>()
  for (const { source } of subjects) sizes.set(source, (sizes.get(source) ?? 0) + 1)
  yield
  const trusted = yield* trustedJoins(joins, { pairs: pairs.likely, sizes, sourceOf, keepsApart })
  const suggested = yield* suggestedPairs({
    pairs: pairs.all.filter((pair) => isUsable(pair) || isDouble(pair.one, pair.other)),
    joins: trusted,
    isDouble,
    isLearned: weights !== comparer.usual,
    sourceOf,
    keepsApart,
    nameLikeness: createCosine(population, ({ nameTokens }) => nameTokens),
    isBarred: (one, other) =>
      judge.isBarred(one, other) || isVetoed(population, population.subjects[one]!, population.subjects[other]!),
  })
  const found: WhoIsOne = { same: [], maybe: [] }
  for (const { one, other, score } of trusted) {
    found.same.push({ ...toAlike(population, { one, other }, weights, comparer), probability: probabilityOf(score) })
    yield
  }
  for (const { one, other, probability } of suggested) {
    found.maybe.push({ ...toAlike(population, { one, other }, weights, comparer), probability })
    yield
  }
  return found
}

function placesOf(one: number, other: number): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

/** Candidate pairs with their agreement levels and the weights of these. */
interface ComparedPairs {
  candidates: readonly CandidatePair[]
  levels: readonly Levels[]
  kinds: PairKinds
  /** 1 for each candidate that can be a match at all, otherwise 0. */
  likely: Uint8Array
  weights: Weights
  /** Sources that contain duplicates. */
  doubled: ReadonlySet<string>
  /** If there is only one source: candidate pairs that may be duplicates in it, by the indexes of their subjects. */
  doubles: ReadonlySet<string>
}

function* compareCandidates(population: Population, tools: Isolated): Generator<undefined, ComparedPairs> {
  const { comparer, fitter, hasFailed } = tools
  const { subjects } = population
  const pairOf = ({ one, other }: CandidatePair) => [subjects[one]!, subjects[other]!] as const
  const candidates = yield* findCandidates(population)
  const levels: Levels[] = []
  const fits: NameFit[] = []
  for (const pair of candidates) {
    levels.push(comparer.levels(...pairOf(pair)))
    fits.push(fitter.fitOf(...pairOf(pair)))
    yield
  }
  const { sources: doubled, pairs } = findDoubles(population, candidates, levels, fits)
  const kinds = yield* readPairKinds(population, { candidates, levels, fits, fitter, comparer, doubled })
  const likely = Uint8Array.from(kinds.ofCandidates, (kind, at) =>
    Number(mayBeOne(kind) && !hasFailed(...pairOf(candidates[at]!))),
  )
  const sourceOf = (place: number) => subjects[place]!.subject.source
  const hasOneSource = new Set(subjects.map(({ subject }) => subject.source)).size === 1
  const alone = hasOneSource ? [...pairs].map((at) => candidates[at]!) : []
  const doubles = new Set(alone.map(({ one, other }) => placesOf(one, other)))
  const keepsApart = (source: string) => !doubled.has(source)
  const weights = yield* weigh({ comparer, candidates, levels, likely, sourceOf, keepsApart })
  return { candidates, levels, kinds, likely, weights, doubled, doubles }
}

/** Returns all candidates with scores, except failed ones, and those of them that may be matches. */
function* scorePairs(
  population: Population,
  { comparer, hasFailed }: Isolated,
  { candidates, levels, kinds, likely, weights, isNamed }: ComparedPairs & { isNamed: boolean },
): Generator<undefined, { all: ScoredPair[]; likely: LikelyPair[] }> {
  const { subjects } = population
  const cosine = createCosine(population, ({ tokens }) => tokens)
  /** Returns true if similar names are the only evidence, although other pairs of the type have more. */
  const isBare = ({ one, other }: CandidatePair, at: number) =>
    !isNamed &&
    weights !== comparer.usual &&
    !MARKED.has(kinds.ofCandidates[at]!) &&
    !areDescribed(population, levels[at]!, subjects[one]!, subjects[other]!)
  const scored: (Omit<ScoredPair, 'sureness'> & { at: number })[] = []
  for (const [at, pair] of candidates.entries()) {
    yield
    if (hasFailed(subjects[pair.one]!, subjects[pair.other]!) || isBare(pair, at)) continue
    const score = scoreOf(weights, levels[at]!)
    scored.push({ ...pair, at, score, rank: score + RANK_BY_WORDS * cosine(pair.one, pair.other) })
  }
  const leadOf = yield* createLead(
    { pairs: scored, sourceOf: (place) => subjects[place]!.subject.source },
    (one) => one,
  )
  const mayBeAhead = (one: Prepared, other: Prepared, lead: number) =>
    lead >= LEAD_MIN && !kinds.areTold(one, other) && !isVetoed(population, one, other)
  const pairs: { all: ScoredPair[]; likely: LikelyPair[] } = { all: [], likely: [] }
  for (const { at, ...pair } of scored) {
    yield
    // With few subjects a margin is no evidence.
    const lead = weights === comparer.usual ? 0 : Math.min(LEAD_MAX, leadOf(pair) ?? LEAD_MAX)
    const told: ScoredPair = { ...pair, sureness: pair.score + lead }
    pairs.all.push(told)
    const [one, other] = [subjects[pair.one]!, subjects[pair.other]!]
    const isAhead =
      told.sureness >= SURENESS_MIN && (likely[at] ? pair.score < SCORE_MIN : mayBeAhead(one, other, lead))
    if (!likely[at] && !isAhead) continue
    const agreement = agreementOf(population, levels[at]!, weights)
    const shown = weights === comparer.usual ? undefined : lead
    pairs.likely.push({ ...told, lead: shown, ...(isAhead && { isAhead }), kind: kinds.ofCandidates[at]!, agreement })
  }
  return pairs
}

/** Returns true if both have a value in one field that does not only repeat the name. */
function areDescribed({ fields }: Population, levels: Levels, one: Prepared, other: Prepared): boolean {
  const repeatsName = ({ valueTokens, nameTokens }: Prepared, field: number) => {
    const tokens = valueTokens[field]
    return tokens?.length === nameTokens.length && tokens.every((token) => nameTokens.includes(token))
  }
  return fields.some(
    (_, field) => levels[FIRST_FIELD + field] !== MISSING && !(repeatsName(one, field) && repeatsName(other, field)),
  )
}

/** Returns the features in which two subjects agree, strongest first, and those in which they differ. */
function toAlike(
  { subjects }: Population,
  { one, other }: Pick<CandidatePair, 'one' | 'other'>,
  weights: Weights,
  { levels, labels }: Comparer,
): Omit<Alike, 'probability'> {
  const found = levels(subjects[one]!, subjects[other]!)
  const worth = labels.map((label, at) => ({ label, value: found[at]! < 0 ? 0 : weights.evidence[at]![found[at]!]! }))
  return {
    one: subjects[one]!.subject.id,
    other: subjects[other]!.subject.id,
    agree: worth
      .filter(({ value }) => value >= TELLING)
      .sort((a, b) => b.value - a.value)
      .map(({ label }) => label),
    differ: worth.filter(({ value }) => value <= -TELLING).map(({ label }) => label),
  }
}

/**
 * Types that are numbered by their own system. Two of them with equal titles are different unless an identifier
 * matches.
 */
const NUMBERED = new Set([
  ...['issue', 'pull_request', 'commit', 'cycle', 'sprint', 'milestone', 'release', 'branch', 'channel', 'repository'],
  ...['message', 'comment', 'email', 'reply', 'review', 'note', 'reaction', 'conversation', 'thread', 'passage'],
])

/** Returns the properties that can be compared: texts and numbers. */
export function comparableProperties(properties: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const kept: Record<string, string | number> = {}
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'number') kept[key] = value
    else if (typeof value === 'string' && value.trim()) kept[key] = value.slice(0, VALUE_CHARS_MAX)
  }
  return kept
}

/** Maximum length in characters. The rest of a longer text adds little evidence. */
const VALUE_CHARS_MAX = 2_000

/**
 * Returns true if a declaration can take part in record linkage: it is the record's own, and its type is not numbered.
 */
export function mayBeCompared(thing: Thing): boolean {
  return thing.role === 'own' && !NUMBERED.has(thing.type)
}

/**
 * Returns true if a declaration takes part in record linkage and has properties that distinguish it from others with
 * its name.
 */
export function isComparable(thing: Thing): boolean {
  if (!mayBeCompared(thing)) return false
  return Object.values(thing.given.properties).some(
    (value) => typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''),
  )
}

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

/** What the caller knows about the subjects beyond their fields. */
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
/** The most that a pair with unlike names counts within a cluster. */
const APART_SCORE = -5
/** Kinds of pairs that are more than alike in their names. */
const MARKED: ReadonlySet<PairKind> = new Set(['coded', 'keyed'])
/** A longer lead tells no more. */
const LEAD_MAX = 8
/** Agreement worth less than this is not told as a reason. */
const TELLING = 1

/**
 * Finds which subjects of one type are one thing, and which may be, by how much they are alike, without examples: the
 * data shows what agreement in each property is worth, whatever the order in which the things came. Yields often, so
 * that the caller can let other work in.
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

/** The pairs worth comparing, what their comparison shows, and what that is worth. */
interface ComparedPairs {
  candidates: readonly CandidatePair[]
  levels: readonly Levels[]
  kinds: PairKinds
  /** Of each candidate whether it can be one thing at all. */
  likely: Uint8Array
  weights: Weights
  /** Sources that hold things more than once. */
  doubled: ReadonlySet<string>
  /** Where there is one source: the candidates that may be a thing that it holds twice, by the places of their two. */
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

/** All candidates with their scores but for those that fail, and of them those that may be taken for one. */
function* scorePairs(
  population: Population,
  { comparer, hasFailed }: Isolated,
  { candidates, levels, kinds, likely, weights, isNamed }: ComparedPairs & { isNamed: boolean },
): Generator<undefined, { all: ScoredPair[]; likely: LikelyPair[] }> {
  const { subjects } = population
  const cosine = createCosine(population, ({ tokens }) => tokens)
  /** Whether nothing is known of a pair but that their names are alike, which others of the type say more than. */
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
    // Of few things nothing shows what a lead is worth.
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

/** In what two agree, the most telling first, and in what they differ. */
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

/** Types whose things their own system numbers: two with one title are two unless an identifier says otherwise. */
const NUMBERED = new Set([
  ...['issue', 'pull_request', 'commit', 'cycle', 'sprint', 'milestone', 'release', 'branch', 'channel', 'repository'],
  ...['message', 'comment', 'email', 'reply', 'review', 'note', 'reaction', 'conversation', 'thread', 'passage'],
])

/** The properties of a thing by which it can be compared with others: texts and numbers. */
export function comparableProperties(properties: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const kept: Record<string, string | number> = {}
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'number') kept[key] = value
    else if (typeof value === 'string' && value.trim()) kept[key] = value.slice(0, VALUE_CHARS_MAX)
  }
  return kept
}

/** Of a longer text the rest tells two things apart no better. */
const VALUE_CHARS_MAX = 2_000

/** Whether a thing is compared with others of its type, when they have properties: a record's own thing. */
export function mayBeCompared(thing: Thing): boolean {
  return thing.role === 'own' && !NUMBERED.has(thing.type)
}

/** Whether a thing can be told from another of its name: it is compared, and has properties that say what it is. */
export function isComparable(thing: Thing): boolean {
  if (!mayBeCompared(thing)) return false
  return Object.values(thing.given.properties).some(
    (value) => typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''),
  )
}

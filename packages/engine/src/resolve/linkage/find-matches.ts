import type { Declaration } from '../record-content.ts'
import { acceptMerges, agreementOf, EVIDENCE_MARGIN_MIN, type LikelyPair } from './accept-merges.ts'
import { type Comparer, createComparer, FIRST_FIELD, type Levels, MISSING, type Weights } from './compare.ts'
import {
  type CandidatePair,
  createNameFit,
  findCandidates,
  findDuplicates,
  type IsolatedTools,
  isolate,
  isVetoed,
  type NameFit,
  pairKey,
} from './name-fit.ts'
import { mayMatch, type PairKind, type PairKinds, readPairKinds } from './pair-kinds.ts'
import {
  CONFIDENCE_MIN,
  createMargin,
  type PairScorer,
  partition,
  SCORE_MIN,
  type ScoredPair,
  suggestedPairs,
} from './partition.ts'
import {
  createCosine,
  createSubjectCorpus,
  type Prepared,
  type Subject,
  type SubjectCorpus,
  sortByContent,
} from './subject-corpus.ts'
import { estimateWeights, type LinkageResult, type Match, probabilityOf, scoreOf } from './weights.ts'

/** Information about the subjects that is not in their fields. */
export interface LinkageOptions {
  /** Returns true if identifiers or a person's decision rule out a match. */
  isBarred(one: string, other: string): boolean
  /** Called for each pair whose comparison failed. It counts as a non-match. */
  onFailed(one: string, other: string, error: unknown): void
  /** True if entities of the type are identified by name, so that an equal name is strong evidence. */
  isNamed: boolean
}

/** Weight of the cosine similarity of all words when pairs are ranked. */
const RANK_BY_WORDS = 10
/** Maximum score of a pair whose names do not fit, when the pairs between two clusters are checked. */
const NON_MATCH_SCORE_MAX = -5
/** Kinds of pairs with more evidence than similar names. */
const MARKED: ReadonlySet<PairKind> = new Set(['coded', 'keyed'])
/** Maximum margin. A greater one adds no evidence. */
const MARGIN_MAX = 8
/** Minimum log-likelihood ratio of a feature that is reported as a reason. */
const REPORTED_EVIDENCE_MIN = 1

/**
 * Finds matches and possible matches among subjects of one type by unsupervised record linkage. The weights of the
 * features are learned from the data, independently of the order of the subjects. Yields often, so that the caller can
 * run other work.
 */
export function* findMatches(
  given: readonly Subject[],
  { isNamed, ...outside }: LinkageOptions,
): Generator<undefined, LinkageResult> {
  const subjects = yield* sortByContent(given)
  const corpus = yield* createSubjectCorpus(subjects)
  const tools = isolate({
    comparer: createComparer(corpus, isNamed),
    fitter: createNameFit(corpus),
    ...outside,
  })
  const compared = yield* compareCandidates(corpus, tools)
  const { comparer, hasFailed } = tools
  const { weights, sourcesWithDuplicates, duplicates, kinds } = compared
  const pairs = yield* scorePairs(corpus, tools, { ...compared, isNamed })
  const sourceOf = (index: number) => subjects[index]!.source
  const isDeduplicated = (source: string) => !sourcesWithDuplicates.has(source)
  const isUsable = ({ one, other }: CandidatePair) =>
    sourceOf(one) !== sourceOf(other) || sourcesWithDuplicates.has(sourceOf(one))
  const isDuplicate = (one: number, other: number) => duplicates.has(pairKey(one, other))
  const byMargin = new Set(
    pairs.likely.filter(({ isByMargin: isAhead }) => isAhead).map(({ one, other }) => pairKey(one, other)),
  )
  const scorer: PairScorer = {
    score: (one, other) => {
      const [a, b] = [corpus.subjects[one]!, corpus.subjects[other]!]
      const score = scoreOf(weights, comparer.levels(a, b))
      if (byMargin.has(pairKey(one, other))) return 0
      return kinds.of(a, b) === 'apart' || hasFailed(a, b) ? Math.min(score, NON_MATCH_SCORE_MAX) : score
    },
    isBarred: (one, other) => tools.isBarred(subjects[one]!.id, subjects[other]!.id),
  }
  const merged = yield* partition(corpus, pairs.likely.filter(isUsable), isDeduplicated, scorer)
  const sizes = new Map<string, number>()
  for (const { source } of subjects) sizes.set(source, (sizes.get(source) ?? 0) + 1)
  yield
  const trusted = yield* acceptMerges(merged, { pairs: pairs.likely, sizes, sourceOf, isDeduplicated })
  const suggested = yield* suggestedPairs({
    pairs: pairs.all.filter((pair) => isUsable(pair) || isDuplicate(pair.one, pair.other)),
    merged: trusted,
    isDuplicate,
    isLearned: weights !== comparer.defaults,
    sourceOf,
    isDeduplicated,
    nameSimilarity: createCosine(corpus, ({ nameTokens }) => nameTokens),
    isBarred: (one, other) =>
      scorer.isBarred(one, other) || isVetoed(corpus, corpus.subjects[one]!, corpus.subjects[other]!),
  })
  const found: LinkageResult = { same: [], maybe: [] }
  for (const { one, other, score } of trusted) {
    found.same.push({ ...toMatch(corpus, { one, other }, weights, comparer), probability: probabilityOf(score) })
    yield
  }
  for (const { one, other, probability } of suggested) {
    found.maybe.push({ ...toMatch(corpus, { one, other }, weights, comparer), probability })
    yield
  }
  return found
}

/** Candidate pairs with their agreement levels and kinds, and the learned weights of the levels. */
interface ComparedPairs {
  candidates: readonly CandidatePair[]
  levels: readonly Levels[]
  kinds: PairKinds
  /** 1 for each candidate that is not ruled out as a match, otherwise 0. */
  likely: Uint8Array
  weights: Weights
  /** Sources that contain duplicates. */
  sourcesWithDuplicates: ReadonlySet<string>
  /** Candidate pairs that may be duplicates, by the indexes of their subjects. Used if there is only one source. */
  duplicates: ReadonlySet<string>
}

function* compareCandidates(corpus: SubjectCorpus, tools: IsolatedTools): Generator<undefined, ComparedPairs> {
  const { comparer, fitter, hasFailed } = tools
  const { subjects } = corpus
  const pairOf = ({ one, other }: CandidatePair) => [subjects[one]!, subjects[other]!] as const
  const candidates = yield* findCandidates(corpus)
  const levels: Levels[] = []
  const fits: NameFit[] = []
  for (const pair of candidates) {
    levels.push(comparer.levels(...pairOf(pair)))
    fits.push(fitter.fitOf(...pairOf(pair)))
    yield
  }
  const { sources: sourcesWithDuplicates, pairs } = findDuplicates(corpus, candidates, levels, fits)
  const kinds = yield* readPairKinds(corpus, { candidates, levels, fits, fitter, comparer, sourcesWithDuplicates })
  const likely = Uint8Array.from(kinds.ofCandidates, (kind, at) =>
    Number(mayMatch(kind) && !hasFailed(...pairOf(candidates[at]!))),
  )
  const sourceOf = (index: number) => subjects[index]!.subject.source
  const hasOneSource = new Set(subjects.map(({ subject }) => subject.source)).size === 1
  const alone = hasOneSource ? [...pairs].map((at) => candidates[at]!) : []
  const duplicates = new Set(alone.map(({ one, other }) => pairKey(one, other)))
  const isDeduplicated = (source: string) => !sourcesWithDuplicates.has(source)
  const weights = yield* estimateWeights({ comparer, candidates, levels, likely, sourceOf, isDeduplicated })
  return { candidates, levels, kinds, likely, weights, sourcesWithDuplicates, duplicates }
}

/** Returns all candidates with scores, except failed ones, and the subset that may be matches. */
function* scorePairs(
  corpus: SubjectCorpus,
  { comparer, hasFailed }: IsolatedTools,
  { candidates, levels, kinds, likely, weights, isNamed }: ComparedPairs & { isNamed: boolean },
): Generator<undefined, { all: ScoredPair[]; likely: LikelyPair[] }> {
  const { subjects } = corpus
  const cosine = createCosine(corpus, ({ tokens }) => tokens)
  /** Returns true if a pair agrees only in similar names, which is too little for a type with learned weights. */
  const hasOnlyName = ({ one, other }: CandidatePair, at: number) =>
    !isNamed &&
    weights !== comparer.defaults &&
    !MARKED.has(kinds.ofCandidates[at]!) &&
    !areDescribed(corpus, levels[at]!, subjects[one]!, subjects[other]!)
  const scored: (Omit<ScoredPair, 'confidence'> & { at: number })[] = []
  for (const [at, pair] of candidates.entries()) {
    yield
    if (hasFailed(subjects[pair.one]!, subjects[pair.other]!) || hasOnlyName(pair, at)) continue
    const score = scoreOf(weights, levels[at]!)
    scored.push({ ...pair, at, score, rank: score + RANK_BY_WORDS * cosine(pair.one, pair.other) })
  }
  const marginOf = yield* createMargin(
    { pairs: scored, sourceOf: (index) => subjects[index]!.subject.source },
    (one) => one,
  )
  const isMarginEnough = (one: Prepared, other: Prepared, margin: number) =>
    margin >= EVIDENCE_MARGIN_MIN && !kinds.areDistinguished(one, other) && !isVetoed(corpus, one, other)
  const pairs: { all: ScoredPair[]; likely: LikelyPair[] } = { all: [], likely: [] }
  for (const { at, ...pair } of scored) {
    yield
    // With few subjects a margin is no evidence.
    const margin = weights === comparer.defaults ? 0 : Math.min(MARGIN_MAX, marginOf(pair) ?? MARGIN_MAX)
    const ranked: ScoredPair = { ...pair, confidence: pair.score + margin }
    pairs.all.push(ranked)
    const [one, other] = [subjects[pair.one]!, subjects[pair.other]!]
    const isByMargin =
      ranked.confidence >= CONFIDENCE_MIN && (likely[at] ? pair.score < SCORE_MIN : isMarginEnough(one, other, margin))
    if (!likely[at] && !isByMargin) continue
    const agreement = agreementOf(corpus, levels[at]!, weights)
    const shown = weights === comparer.defaults ? undefined : margin
    pairs.likely.push({
      ...ranked,
      margin: shown,
      ...(isByMargin && { isByMargin }),
      kind: kinds.ofCandidates[at]!,
      agreement,
    })
  }
  return pairs
}

/** Returns true if both subjects have a value in a field whose content differs from the name. */
function areDescribed({ fields }: SubjectCorpus, levels: Levels, one: Prepared, other: Prepared): boolean {
  const repeatsName = ({ valueTokens, nameTokens }: Prepared, field: number) => {
    const tokens = valueTokens[field]
    return tokens?.length === nameTokens.length && tokens.every((token) => nameTokens.includes(token))
  }
  return fields.some(
    (_, field) => levels[FIRST_FIELD + field] !== MISSING && !(repeatsName(one, field) && repeatsName(other, field)),
  )
}

/** Returns the features in which two subjects agree, strongest first, and those in which they differ. */
function toMatch(
  { subjects }: SubjectCorpus,
  { one, other }: Pick<CandidatePair, 'one' | 'other'>,
  weights: Weights,
  { levels, labels }: Comparer,
): Omit<Match, 'probability'> {
  const found = levels(subjects[one]!, subjects[other]!)
  const evidence = labels.map((label, at) => ({
    label,
    value: found[at]! < 0 ? 0 : weights.evidence[at]![found[at]!]!,
  }))
  return {
    one: subjects[one]!.subject.id,
    other: subjects[other]!.subject.id,
    agree: evidence
      .filter(({ value }) => value >= REPORTED_EVIDENCE_MIN)
      .sort((a, b) => b.value - a.value)
      .map(({ label }) => label),
    differ: evidence.filter(({ value }) => value <= -REPORTED_EVIDENCE_MIN).map(({ label }) => label),
  }
}

/**
 * Types whose entities are numbered by their own system. Two such entities with equal titles are different, unless an
 * identifier matches.
 */
const NUMBERED = new Set([
  ...['issue', 'pull_request', 'commit', 'cycle', 'sprint', 'milestone', 'release', 'branch', 'channel', 'repository'],
  ...['message', 'comment', 'email', 'reply', 'review', 'note', 'reaction', 'conversation', 'thread', 'passage'],
])

/** Returns the properties that can be compared: texts and numbers. */
export function comparableProperties(properties: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const comparable: Record<string, string | number> = {}
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'number') comparable[key] = value
    else if (typeof value === 'string' && value.trim()) comparable[key] = value.slice(0, VALUE_CHARS_MAX)
  }
  return comparable
}

/** Maximum length of a value in characters. The rest of a longer text adds little evidence. */
const VALUE_CHARS_MAX = 2_000

/** Returns true if record linkage can use a declaration: the record's own, of a type without numbers. */
export function isLinkable(declaration: Declaration): boolean {
  return declaration.role === 'own' && !NUMBERED.has(declaration.type)
}

/**
 * Returns true if a declaration takes part in record linkage and has properties that distinguish it from others with
 * the same name.
 */
export function isComparable(declaration: Declaration): boolean {
  if (!isLinkable(declaration)) return false
  return Object.values(declaration.given.properties).some(
    (value) => typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''),
  )
}

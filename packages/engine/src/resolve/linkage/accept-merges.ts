import { AGREES, FIRST_FIELD, type Levels, MISSING, type Weights } from './compare.ts'
import type { PairKind } from './pair-kinds.ts'
import type { MergedPair, ScoredPair } from './partition.ts'
import type { SubjectCorpus } from './subject-corpus.ts'

/** Maximum estimated share of false matches among the accepted ones. */
const FALSE_MATCH_SHARE_MAX = 0.04
/** Minimum share of agreeing fields of two duplicates within a source. They also share the name and a number. */
const DUPLICATE_SHARE = 0.5
/**
 * Number of non-matches added in the class of pairs whose main evidence is their margin. Such pairs are few, so it
 * proves little that no non-match is among them.
 */
const UNSEEN_NON_MATCHES = 1
/** Minimum margin for being the main evidence of a match. */
export const EVIDENCE_MARGIN_MIN = 5
/** Prefix of the classes of pairs whose margin is the main evidence. */
const BY_MARGIN = 'margin'
/** Kinds of pairs with more evidence than names: a model number or two other numbers agree. */
const MARKED: ReadonlySet<PairKind> = new Set(['coded', 'keyed'])

/** A possible match with its evidence. */
export interface LikelyPair extends ScoredPair {
  kind: PairKind
  agreement: Agreement
  /** Margin over the best rival of either subject; undefined with default weights, which are for few subjects. */
  margin: number | undefined
  /** True if the margin is the main evidence: the score is low, or the names do not fit. */
  isByMargin?: true
}

interface AcceptanceInput {
  pairs: readonly LikelyPair[]
  /** Number of subjects of each source. */
  sizes: ReadonlyMap<string, number>
  sourceOf(index: number): string
  /** Returns true if a source lists each entity once. */
  isDeduplicated(source: string): boolean
}

/**
 * Returns the merges that pass a test against within-source non-matches. Two subjects of a source that lists each
 * entity once are a non-match, however similar they are. The frequency of such pairs estimates how often a subject
 * without a partner has an equally similar non-match in another source. Only pairs above the resulting threshold are
 * accepted, however many true pairs there are.
 */
export function* acceptMerges(
  merged: readonly MergedPair[],
  input: AcceptanceInput,
): Generator<undefined, MergedPair[]> {
  const { pairs, sizes, sourceOf, isDeduplicated } = input
  const withinSource = pairs.filter(
    (pair) => sourceOf(pair.one) === sourceOf(pair.other) && isDeduplicated(sourceOf(pair.one)) && !isDuplicate(pair),
  )
  const classOf = classes(withinSource)
  yield
  const nonMatches = nearestNonMatches(withinSource, classOf)
  yield
  const kinds = new Map(pairs.map((pair) => [`${pair.one} ${pair.other}`, classOf(pair)]))
  const inDoubt = new Set(pairs.filter(isInDoubt).map(({ one, other }) => `${one} ${other}`))
  yield
  const groups = new Map<string, MergedPair[]>()
  const joined = new Map<string, number>()
  for (const join of merged) {
    const isOnce = isDeduplicated(sourceOf(join.one)) && isDeduplicated(sourceOf(join.other))
    if (isOnce && inDoubt.has(`${join.one} ${join.other}`)) continue
    const sources = JSON.stringify([sourceOf(join.one), sourceOf(join.other)].sort())
    push(groups, `${sources} ${kinds.get(`${join.one} ${join.other}`)}`, join)
    joined.set(sources, (joined.get(sources) ?? 0) + 1)
    yield
  }
  const combinations = [...sizes].reduce((sum, [source, size]) => sum + (isDeduplicated(source) ? size ** 2 : 0), 0)
  const trusted = new Set<MergedPair>()
  for (const group of groups.values()) {
    const [first] = group as [MergedPair]
    const kind = kinds.get(`${first.one} ${first.other}`)!
    const [one, other] = [sourceOf(first.one), sourceOf(first.other)].sort() as [string, string]
    const [ours, theirs] = [sizes.get(one)!, sizes.get(other)!]
    const among = one === other ? ours ** 2 / 2 : ours * theirs
    const count = acceptedCount(group, kind.includes(' coded ') ? [] : (nonMatches.get(kind) ?? []), {
      scale: among / Math.max(1, combinations),
      subjects: Math.min(ours, theirs),
      others: joined.get(JSON.stringify([one, other]))! - group.length,
      unseen: kind.startsWith(BY_MARGIN) ? UNSEEN_NON_MATCHES : 0,
    })
    for (const join of group.slice(0, count)) trusted.add(join)
    yield
  }
  return merged.filter((join) => trusted.has(join))
}

function isDuplicate({ kind, agreement }: LikelyPair): boolean {
  return kind === 'same' && agreement.numbers === 'agree' && agreement.share >= DUPLICATE_SHARE
}

/**
 * Returns true if names and amounts are the only evidence and other subjects have nearly as similar names, such as
 * offers of one title, editions of a work or recordings of a song.
 */
function isInDoubt({ kind, agreement, margin }: LikelyPair): boolean {
  return !MARKED.has(kind) && !agreement.hasSameNumber && margin !== undefined && margin < EVIDENCE_MARGIN_MIN
}

/** Sorts the merges of a class, most certain first, and returns the number of accepted ones. */
function acceptedCount(
  merged: MergedPair[],
  nonMatches: readonly number[],
  { scale, subjects, others, unseen }: { scale: number; subjects: number; others: number; unseen: number },
): number {
  merged.sort((a, b) => b.confidence - a.confidence)
  let accepted = 0
  let found = 0
  for (let count = 1; count <= merged.length; count++) {
    const least = merged[count - 1]!.confidence
    if (merged[count]?.confidence === least) continue
    while (found < nonMatches.length && nonMatches[found]! >= least) found += 1
    const chance = Math.min(1, ((found + unseen) * scale) / subjects)
    // A subject that has a partner cannot also have a false match.
    const partners = chance < 1 ? Math.max(0, (count - chance * subjects) / (1 - chance)) : 0
    if (chance * Math.max(0, subjects - others - partners) <= FALSE_MATCH_SHARE_MAX * count) accepted = count
  }
  return accepted
}

/**
 * Creates a function that returns the class of a pair: its main evidence, the agreement of numbers, its kind, and if
 * one of the two has other similar subjects in its source.
 */
function classes(withinSource: readonly LikelyPair[]): (pair: LikelyPair) => string {
  const partners = new Map<number, Set<number>>()
  for (const { one, other } of withinSource) {
    partners.set(one, (partners.get(one) ?? new Set()).add(other))
    partners.set(other, (partners.get(other) ?? new Set()).add(one))
  }
  const hasOthers = (index: number, but: number) => {
    const others = partners.get(index)
    return others !== undefined && others.size > Number(others.has(but))
  }
  return ({ one, other, kind, agreement, isByMargin }) =>
    `${isByMargin ? BY_MARGIN : ''} ${agreement.numbers} ${kind} ${hasOthers(one, other) || hasOthers(other, one)}`
}

/** Returns for each class the score of each subject's most similar within-source non-match, in descending order. */
function nearestNonMatches(
  withinSource: readonly LikelyPair[],
  classOf: (pair: LikelyPair) => string,
): Map<string, readonly number[]> {
  const nearest = new Map<string, Map<number, number>>()
  for (const pair of withinSource) {
    const key = classOf(pair)
    const best = nearest.get(key) ?? new Map<number, number>()
    nearest.set(key, best)
    for (const index of [pair.one, pair.other]) {
      best.set(index, Math.max(best.get(index) ?? Number.NEGATIVE_INFINITY, pair.confidence))
    }
  }
  return new Map([...nearest].map(([key, best]) => [key, [...best.values()].sort((a, b) => b - a)]))
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** Agreement of the fields of two subjects. Names are not included. */
export interface Agreement {
  /** Result for numbers that both have (a price, a year, a telephone number). */
  numbers: 'differ' | 'agree' | 'silent'
  /** True if a number that is not an amount is equal. Amounts such as prices often agree by chance. */
  hasSameNumber: boolean
  /** Share of the fields with values on both sides that agree; 0 if there are none. */
  share: number
}

/**
 * Maximum evidence (log-likelihood ratio) of a differing number field that contradicts a match. A field that often
 * differs for matches, such as a length in different units, has a greater value.
 */
const CONTRADICTS = -0.5
/** Minimum evidence of two close amounts that count as equal, such as the prices of two shops. */
const NEAR_AGREES = 0.5

/** Returns the agreement of the fields of a pair, by the learned weights of the agreement levels. */
export function agreementOf({ fields }: SubjectCorpus, levels: Levels, { evidence }: Weights): Agreement {
  let [compared, agree] = [0, 0]
  let numbers: Agreement['numbers'] = 'silent'
  let hasSameNumber = false
  for (const [at, { kind }] of fields.entries()) {
    const level = levels[FIRST_FIELD + at]!
    if (level === MISSING) continue
    const evidenceOfLevel = evidence[FIRST_FIELD + at]![level]!
    const isEqual = level >= AGREES[kind]
    const isSame = isEqual || (kind === 'amount' && level > 0 && evidenceOfLevel >= NEAR_AGREES)
    compared += 1
    if (isSame) agree += 1
    if (kind === 'words') continue
    if (isEqual && kind !== 'amount') hasSameNumber = true
    if (level === 0 && evidenceOfLevel <= CONTRADICTS) numbers = 'differ'
    else if (isSame && numbers === 'silent') numbers = 'agree'
  }
  return { numbers, hasSameNumber, share: compared > 0 ? agree / compared : 0 }
}

import { AGREES, type Comparer, FIRST_FIELD, type Levels, NAME } from './compare.ts'
import { type CandidatePair, contains, type NameFit, type NameFitter } from './name-fit.ts'
import type { Prepared, SubjectCorpus } from './subject-corpus.ts'

/**
 * Kind of a pair, by its strongest evidence. 'coded': an exclusive model number agrees. 'keyed': several numbers agree
 * that each identify one entity. Otherwise it is the relation of the names. A pair of kind 'apart' or 'numbered' is a
 * non-match, whatever else agrees.
 */
export type PairKind = NameFit | 'coded' | 'keyed'

export interface PairKinds {
  /** Kind of each candidate, in their order. */
  readonly ofCandidates: readonly PairKind[]
  of(one: Prepared, other: Prepared): PairKind
  /** Returns true if each name contains a word by which a source distinguishes its own entities. */
  areDistinguished(one: Prepared, other: Prepared): boolean
}

interface PairKindInput {
  candidates: readonly CandidatePair[]
  levels: readonly Levels[]
  fits: readonly NameFit[]
  fitter: NameFitter
  comparer: Comparer
  /** Sources that contain duplicates. */
  sourcesWithDuplicates: ReadonlySet<string>
}

/** Assumed maximum number of records per entity in a source with duplicates. */
const RECORDS_PER_ENTITY = 3
/** Minimum agreement level of the names of two items of a series, such as models: all words but one are equal. */
const SIBLING_LEVEL = 4
/** Minimum number of agreeing identifying numbers that outweigh different names. */
const KEY_FIELDS_MIN = 2
/**
 * Minimum share of fitting names among the pairs that agree in a number field, for the field to identify entities. At
 * least KEY_PAIRS_MIN pairs must agree in it.
 */
const KEY_SHARE = 2 / 3
const KEY_PAIRS_MIN = 20

export function mayMatch(kind: PairKind): boolean {
  return kind !== 'apart' && kind !== 'numbered'
}

/** Classifies all candidates. Yields often, so that the caller can run other work. */
export function* readPairKinds(corpus: SubjectCorpus, input: PairKindInput): Generator<undefined, PairKinds> {
  const { candidates, levels, fits, fitter, comparer, sourcesWithDuplicates } = input
  const { subjects } = corpus
  const words = yield* distinguishingWords(corpus, input)
  const keys = keyFields(corpus, input)
  const sources = new Set(subjects.map(({ subject }) => subject.source))
  const recordsPerEntity = [...sources].reduce(
    (sum, source) => sum + (sourcesWithDuplicates.has(source) ? RECORDS_PER_ENTITY : 1),
    0,
  )
  const isDistinguished = (one: Prepared, other: Prepared) =>
    fitter.ownWords(one, other).some((token) => words.has(token))
  const kindOf = (one: Prepared, other: Prepared, fit: NameFit, levelsOf: () => Levels): PairKind => {
    if (
      shareCode(corpus, one, other, recordsPerEntity) &&
      !(isDistinguished(one, other) && isDistinguished(other, one))
    )
      return 'coded'
    if (fit !== 'apart' || keys.length < KEY_FIELDS_MIN) return fit
    const found = levelsOf()
    // One of the two may contain a typo.
    const similarKeys = keys.filter((field) => found[field]! > 0)
    return similarKeys.length >= KEY_FIELDS_MIN && similarKeys.some((field) => found[field]! >= AGREES.digits)
      ? 'keyed'
      : fit
  }
  const ofCandidates: PairKind[] = []
  for (const [at, { one, other }] of candidates.entries()) {
    ofCandidates.push(kindOf(subjects[one]!, subjects[other]!, fits[at]!, () => levels[at]!))
    yield
  }
  return {
    ofCandidates,
    areDistinguished: (one, other) => isDistinguished(one, other) && isDistinguished(other, one),
    of: (one, other) => kindOf(one, other, fitter.fitOf(one, other), () => comparer.levels(one, other)),
  }
}

/** Returns the words in which pairs of similar names within a source differ, if each name has one such word. */
function* distinguishingWords({ subjects }: SubjectCorpus, input: PairKindInput): Generator<undefined, Set<number>> {
  const { candidates, levels, fits, fitter, sourcesWithDuplicates } = input
  const words = new Set<number>()
  for (const [at, pair] of candidates.entries()) {
    const [one, other] = [subjects[pair.one]!, subjects[pair.other]!]
    if (fits[at] !== 'apart' || levels[at]![NAME]! < SIBLING_LEVEL) continue
    if (one.subject.source !== other.subject.source || sourcesWithDuplicates.has(one.subject.source)) continue
    const [ours, theirs] = [fitter.ownWords(one, other), fitter.ownWords(other, one)]
    if (ours.length === 1 && theirs.length === 1) for (const token of [...ours, ...theirs]) words.add(token)
    yield
  }
  return words
}

/**
 * Returns the features of fields whose numbers identify entities, such as passport numbers. Telephone numbers that
 * several people share do not.
 */
function keyFields({ fields }: SubjectCorpus, { levels, fits }: PairKindInput): number[] {
  return fields.flatMap(({ kind }, at) => {
    if (kind !== 'digits') return []
    const feature = FIRST_FIELD + at
    let [agree, named] = [0, 0]
    for (const [pair, found] of levels.entries()) {
      if (found[feature]! < AGREES.digits) continue
      agree += 1
      if (fits[pair] !== 'apart') named += 1
    }
    return agree >= KEY_PAIRS_MIN && named >= KEY_SHARE * agree ? [feature] : []
  })
}

/** Returns true if both share a model number that at most `most` records have, and neither name has another one. */
function shareCode({ counts, isKey, isNumber, words }: SubjectCorpus, one: Prepared, other: Prepared, most: number) {
  const isShared = (token: number, to: Prepared) =>
    isKey[token] && counts[token]! <= most && (isNumber[token] ? to.nameTokens : to.tokens).includes(token)
  const hasOwn = ({ nameTokens }: Prepared, to: Prepared) =>
    nameTokens.some(
      (token) => isKey[token] && !to.tokens.some((its) => isKey[its] && contains(words[its]!, words[token]!)),
    )
  const isAny =
    one.nameTokens.some((token) => isShared(token, other)) || other.nameTokens.some((token) => isShared(token, one))
  return isAny && !(hasOwn(one, other) && hasOwn(other, one))
}

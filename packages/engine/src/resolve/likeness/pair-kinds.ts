import { AGREES, type Comparer, FIRST_FIELD, type Levels, NAME } from './compare.ts'
import { type CandidatePair, contains, type NameFit, type NameFitter } from './name-fit.ts'
import type { Population, Prepared } from './population.ts'

/**
 * What can make a pair one thing: a model's number that nothing else has, numbers that each belong to one thing, or
 * names that fit. A pair whose names are apart or numbered is two, whatever else agrees.
 */
export type PairKind = NameFit | 'coded' | 'keyed'

/** The kinds of the pairs of a population. */
export interface PairKinds {
  /** Of each candidate, in their order. */
  readonly ofCandidates: readonly PairKind[]
  of(one: Prepared, other: Prepared): PairKind
  /** Whether each name has a word by which a source tells its own things apart. */
  areTold(one: Prepared, other: Prepared): boolean
}

/** What the kinds are told from. */
export interface PairGround {
  candidates: readonly CandidatePair[]
  levels: readonly Levels[]
  fits: readonly NameFit[]
  fitter: NameFitter
  comparer: Comparer
  /** The sources that hold things more than once. */
  doubled: ReadonlySet<string>
}

/** Records of one thing that a source which holds things more than once is taken to have. */
const DOUBLES_USUAL = 3
/** Siblings of one source have names as alike as this level says, but for a word each. */
const SIBLING_LEVEL = 4
/** How many numbers that belong to one thing each must agree to outweigh unlike names. */
const KEY_FIELDS_MIN = 2
/** A number belongs to one thing when of the pairs that share it so many go by one name, and so many pairs show it. */
const KEY_SHARE = 2 / 3
const KEY_PAIRS_MIN = 20

export function mayBeOne(kind: PairKind): boolean {
  return kind !== 'apart' && kind !== 'numbered'
}

/** Tells the kinds of all candidates. Yields often, so that the caller can let other work in. */
export function* readPairKinds(population: Population, ground: PairGround): Generator<undefined, PairKinds> {
  const { candidates, levels, fits, fitter, comparer, doubled } = ground
  const { subjects } = population
  const telling = yield* tellingWords(population, ground)
  const keys = keyFields(population, ground)
  const sources = new Set(subjects.map(({ subject }) => subject.source))
  const bearers = [...sources].reduce((sum, source) => sum + (doubled.has(source) ? DOUBLES_USUAL : 1), 0)
  const isTold = (one: Prepared, other: Prepared) => fitter.ownWords(one, other).some((token) => telling.has(token))
  const kindOf = (one: Prepared, other: Prepared, fit: NameFit, levelsOf: () => Levels): PairKind => {
    if (shareCode(population, one, other, bearers) && !(isTold(one, other) && isTold(other, one))) return 'coded'
    if (fit !== 'apart' || keys.length < KEY_FIELDS_MIN) return fit
    const found = levelsOf()
    // One of them may have a slip of the pen.
    const alike = keys.filter((field) => found[field]! > 0)
    return alike.length >= KEY_FIELDS_MIN && alike.some((field) => found[field]! >= AGREES.digits) ? 'keyed' : fit
  }
  const ofCandidates: PairKind[] = []
  for (const [at, { one, other }] of candidates.entries()) {
    ofCandidates.push(kindOf(subjects[one]!, subjects[other]!, fits[at]!, () => levels[at]!))
    yield
  }
  return {
    ofCandidates,
    areTold: (one, other) => isTold(one, other) && isTold(other, one),
    of: (one, other) => kindOf(one, other, fitter.fitOf(one, other), () => comparer.levels(one, other)),
  }
}

/** The words by which a source tells its own things apart: their names are the same but for one such word each. */
function* tellingWords({ subjects }: Population, ground: PairGround): Generator<undefined, Set<number>> {
  const { candidates, levels, fits, fitter, doubled } = ground
  const telling = new Set<number>()
  for (const [at, pair] of candidates.entries()) {
    const [one, other] = [subjects[pair.one]!, subjects[pair.other]!]
    if (fits[at] !== 'apart' || levels[at]![NAME]! < SIBLING_LEVEL) continue
    if (one.subject.source !== other.subject.source || doubled.has(one.subject.source)) continue
    const [ours, theirs] = [fitter.ownWords(one, other), fitter.ownWords(other, one)]
    if (ours.length === 1 && theirs.length === 1) for (const token of [...ours, ...theirs]) telling.add(token)
    yield
  }
  return telling
}

/** The features of fields whose numbers belong to one thing each, as a passport's does and a shared telephone's not. */
function keyFields({ fields }: Population, { levels, fits }: PairGround): number[] {
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

/** Whether a name's model number is the other's too and of no more things than have a right to it. */
function shareCode({ counts, isKey, isNumber, words }: Population, one: Prepared, other: Prepared, most: number) {
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

import { STOP_WORDS } from '../../lexicon/languages.ts'
import { hasNumber } from '../../text/characters.ts'
import {
  AGREES,
  type Comparer,
  FIRST_FIELD,
  jaroWinkler,
  type Levels,
  MISSING,
  WORD_SIMILARITY_MIN,
} from './compare.ts'
import type { Prepared, SubjectCorpus } from './subject-corpus.ts'

/**
 * Relation of two names: they have the same words, one contains the other, one has an additional number, or each has
 * words that the other lacks.
 */
export type NameFit = 'same' | 'within' | 'numbered' | 'apart'

/** Compares the names of two subjects. */
export interface NameFitter {
  fitOf(one: Prepared, other: Prepared): NameFit
  /** Returns the words of a subject's names, without numbers, that no word of the other is similar to. */
  ownWords(one: Prepared, other: Prepared): number[]
}

/** Matches a year, which is often added to a name and as often left out. */
const YEAR = /^(?:1[5-9]|20)\p{N}{2}$/u
const RUNS = /\p{N}+|\p{L}+/gu
/** Minimum length of a word that may abbreviate a word outside the name. Shorter ones are initials. */
const STEM_CHARS_MIN = 3
/** Rest of `Anna's` after tokenization, if an unusual character is used as the apostrophe. */
const POSSESSIVE = 's'
/** Maximum number of cached word pairs: about 30 MB. */
const CACHED_PAIRS_MAX = 500_000

/**
 * Creates the comparison of names by the words that only one of them has. The names of two items of a series each have
 * such a word. Of two spellings of one name, at most one has additional words.
 */
export function createNameFit({ words, isNumber, isCode }: SubjectCorpus): NameFitter {
  const cache = new Map<number, boolean>()
  const areSimilar = (one: number, other: number): boolean => {
    const key = one < other ? one * words.length + other : other * words.length + one
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const isSimilar = jaroWinkler(words[one]!, words[other]!) >= WORD_SIMILARITY_MIN
    if (cache.size < CACHED_PAIRS_MAX) cache.set(key, isSimilar)
    return isSimilar
  }
  const isMixed = (token: number) => !isNumber[token] && hasNumber(words[token]!)
  const isExplainedWord = (token: number, to: Prepared): boolean => {
    const word = words[token]!
    for (const its of to.nameTokens) {
      const other = words[its]!
      if (isNumber[its] || (isCode[its] && !other.startsWith(word))) continue
      if (other.startsWith(word) || word.startsWith(other) || areSimilar(token, its)) return true
    }
    if (word.length < STEM_CHARS_MIN) return false
    return to.tokens.some((its) => {
      const other = words[its]!
      return other.length >= STEM_CHARS_MIN && (other.startsWith(word) || word.startsWith(other))
    })
  }
  const isExplained = (token: number, to: Prepared): boolean => {
    const word = words[token]!
    if (word === POSSESSIVE || STOP_WORDS.has(word) || to.tokens.includes(token)) return true
    if (isNumber[token]) return to.tokens.some((its) => isMixed(its) && runsOf(words[its]!).includes(word))
    if (!isMixed(token)) return isExplainedWord(token, to)
    return (
      to.tokens.some((its) => isCode[token]! + isCode[its]! === 2 && contains(words[its]!, word)) || hasRuns(word, to)
    )
  }
  /** Returns true if the letters and the digits of a word are separate tokens in the other name: `32gb` and `32 GB`. */
  const hasRuns = (word: string, { tokens }: Prepared): boolean => {
    const runs = new Set(tokens.flatMap((token) => runsOf(words[token]!)))
    return runsOf(word).every((run) => runs.has(run))
  }
  const ownOf = (one: Prepared, other: Prepared): 'nothing' | 'numbers' | 'words' => {
    let found: 'nothing' | 'words' = 'nothing'
    for (const token of one.nameWords) {
      if (isExplained(token, other)) continue
      if (isNumber[token] && !YEAR.test(words[token]!)) return 'numbers'
      found = 'words'
    }
    return found
  }
  return {
    fitOf: (one, other) => {
      const ours = ownOf(one, other)
      const theirs = ownOf(other, one)
      if (ours === 'nothing' && theirs === 'nothing') return 'same'
      if (ours !== 'nothing' && theirs !== 'nothing') return 'apart'
      return ours === 'numbers' || theirs === 'numbers' ? 'numbered' : 'within'
    },
    ownWords: (one, other) =>
      one.nameWords.filter((token) => !isNumber[token] && !isMixed(token) && !isExplained(token, other)),
  }
}

const runsOf = (word: string): readonly string[] => word.match(RUNS) ?? []

/**
 * Returns true if one word contains the other. A model number is often written with a prefix or suffix: `fs105` and
 * `fs105na`.
 */
export function contains(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one)
}

/** Minimum share of common words, by idf, of two names that count as differing in numbers only. */
const SAME_WORDS = 0.9

/**
 * Returns true if two subjects cannot match, whatever else agrees, because their names differ only in a number: two
 * rooms, two issues of a series or two days of a meeting.
 */
export function isVetoed({ words, idf, isNumber, isCode }: SubjectCorpus, one: Prepared, other: Prepared): boolean {
  const split = ({ nameTokens }: Prepared) => ({
    numbers: nameTokens.filter((token) => isNumber[token] || isCode[token]),
    words: nameTokens.filter((token) => !isNumber[token] && !isCode[token]),
  })
  const [a, b] = [split(one), split(other)]
  const isSame = (mine: number, its: number) =>
    mine === its || (isCode[mine]! + isCode[its]! === 2 && contains(words[mine]!, words[its]!))
  const differ = (ours: number[], theirs: number[]) => ours.some((mine) => !theirs.some((its) => isSame(mine, its)))
  if (!differ(a.numbers, b.numbers) || !differ(b.numbers, a.numbers)) return false
  const weight = (tokens: number[]) => tokens.reduce((sum, token) => sum + idf[token]!, 0)
  const common = weight(a.words.filter((token) => b.words.includes(token)))
  return common >= SAME_WORDS * Math.max(weight(a.words), weight(b.words))
}

/** Comparison functions that may throw, and the callback for failed pairs. */
interface FallibleTools {
  fitter: NameFitter
  comparer: Comparer
  /** Returns true if identifiers or a person's decision rule out a match of the two ids. */
  isBarred(one: string, other: string): boolean
  /** Called once for each pair that could not be compared, with their ids. */
  onFailed(one: string, other: string, error: unknown): void
}

/** Comparison functions that never throw for a pair. */
export interface IsolatedTools extends Omit<FallibleTools, 'onFailed'> {
  /** Returns true if the comparison of the two has failed before. Such a pair is a non-match. */
  hasFailed(one: Prepared, other: Prepared): boolean
}

/** Maximum number of failed pairs. More failures indicate a defect of the code and not of the data. */
const FAILED_PAIRS_MAX = 1_000

/** Excludes a pair whose comparison throws. Rethrows the error if too many pairs fail. */
export function isolate({ fitter, comparer, isBarred, onFailed }: FallibleTools): IsolatedTools {
  const failed = new Set<string>()
  const attempt = <T>(one: string, other: string, instead: T, compare: () => T): T => {
    try {
      return compare()
    } catch (error) {
      const pair = pairKey(one, other)
      if (failed.has(pair)) return instead
      if (failed.size >= FAILED_PAIRS_MAX) throw error
      failed.add(pair)
      onFailed(one, other, error)
      return instead
    }
  }
  const between = <T>({ subject: one }: Prepared, { subject: other }: Prepared, instead: T, compare: () => T): T =>
    attempt(one.id, other.id, instead, compare)
  const unknown = Int8Array.from(comparer.sizes, () => MISSING)
  return {
    fitter: {
      fitOf: (one, other) => between(one, other, 'apart', () => fitter.fitOf(one, other)),
      ownWords: (one, other) => between(one, other, [], () => fitter.ownWords(one, other)),
    },
    comparer: {
      ...comparer,
      levels: (one, other) => between(one, other, unknown, () => comparer.levels(one, other)),
    },
    isBarred: (one, other) => attempt(one, other, true, () => isBarred(one, other)),
    hasFailed: ({ subject: one }, { subject: other }) => failed.size > 0 && failed.has(pairKey(one.id, other.id)),
  }
}

/** Returns a key that is the same for both orders of a pair. */
export function pairKey<Id extends string | number>(one: Id, other: Id): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

/** A candidate pair: the indexes of two subjects, the lower first. */
export interface CandidatePair {
  one: number
  other: number
  /** Sum of the squared idf of the shared words by which the pair was found. */
  shared: number
}

/**
 * Maximum numbers of subjects in other sources, and in its own source, that a subject is compared with. Subjects that
 * share the rarest words with it are chosen.
 */
const CROSS_SOURCE_MAX = 10
const SAME_SOURCE_MAX = 6
/** Maximum number of words by which a subject is looked up. The rarest are chosen. */
const WORDS_PER_SUBJECT = 24
/** Maximum number of subjects that have a lookup word. A more frequent word adds little evidence and is expensive. */
const WORD_SUBJECTS_MAX = 400

/**
 * Returns the candidate pairs (blocking): each subject with those that share its rarest words. Yields regularly, so
 * that the caller can run other work.
 */
export function* findCandidates({ subjects, counts, idf }: SubjectCorpus): Generator<undefined, CandidatePair[]> {
  const lists = new Map<number, number[]>()
  for (const [index, { tokens }] of subjects.entries()) {
    for (const token of lookedUp(tokens)) {
      const list = lists.get(token)
      if (list) list.push(index)
      else lists.set(token, [index])
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
  for (const [index, { tokens, subject }] of subjects.entries()) {
    const { source } = subject
    const weights = new Map<number, number>()
    for (const token of lookedUp(tokens)) {
      const weight = idf[token]! ** 2
      for (const other of lists.get(token) ?? []) {
        if (other !== index) weights.set(other, (weights.get(other) ?? 0) + weight)
      }
    }
    const left = { otherSources: CROSS_SOURCE_MAX, sameSource: sources > 1 ? SAME_SOURCE_MAX : CROSS_SOURCE_MAX }
    for (const [other, shared] of [...weights].sort(([a, one], [b, other]) => other - one || a - b)) {
      const where = subjects[other]!.subject.source === source ? 'sameSource' : 'otherSources'
      if (left[where]-- <= 0) continue
      const [low, high] = index < other ? [index, other] : [other, index]
      pairs.set(low * subjects.length + high, { one: low, other: high, shared })
    }
    yield
  }
  return [...pairs.values()]
}

/** Minimum share of duplicated subjects in a source that contains duplicates. Other sources list each entity once. */
const DUPLICATES_SHARE_MIN = 0.15
/** Minimum number of duplicates in a source for it to count as one that contains duplicates. */
const DUPLICATES_MIN = 50
/** Minimum share of agreeing fields in duplicates, among the fields that both have. */
const AGREEMENT_SHARE = 0.75

/** Duplicates within sources. */
interface Duplicates {
  /** Sources with many duplicates. */
  sources: ReadonlySet<string>
  /** Indexes of the candidates that are duplicates. */
  pairs: ReadonlySet<number>
}

/**
 * Finds duplicates within sources: pairs whose names fit and whose fields do not contradict. Namesakes and items of a
 * series differ in a field or a number and are not duplicates.
 */
export function findDuplicates(
  { fields, subjects }: SubjectCorpus,
  pairs: readonly CandidatePair[],
  levels: readonly Levels[],
  fits: readonly NameFit[],
): Duplicates {
  const isDuplicate = (at: number): boolean => {
    if (fits[at] !== 'same') return false
    let [compared, agree] = [0, 0]
    for (const [field, { kind }] of fields.entries()) {
      const level = levels[at]![FIRST_FIELD + field]!
      if (level === MISSING) continue
      compared += 1
      if (level >= AGREES[kind]) agree += 1
      // A typo can make two numbers similar. Different numbers contradict a match.
      else if (kind !== 'words' && (kind !== 'digits' || level === 0)) return false
    }
    return compared > 0 && agree >= AGREEMENT_SHARE * compared
  }
  const bySource = new Map<string, Set<number>>()
  const found = new Set<number>()
  const sizes = new Map<string, number>()
  for (const { subject } of subjects) sizes.set(subject.source, (sizes.get(subject.source) ?? 0) + 1)
  for (const [at, { one, other }] of pairs.entries()) {
    const { source } = subjects[one]!.subject
    if (source !== subjects[other]!.subject.source || !isDuplicate(at)) continue
    found.add(at)
    bySource.set(source, (bySource.get(source) ?? new Set()).add(one).add(other))
  }
  const isMany = ([source, things]: [string, Set<number>]) =>
    things.size >= Math.max(DUPLICATES_MIN, DUPLICATES_SHARE_MIN * sizes.get(source)!)
  return { sources: new Set([...bySource].filter(isMany).map(([source]) => source)), pairs: found }
}

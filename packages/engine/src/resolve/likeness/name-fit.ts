import { STOP_WORDS } from '../../lexicon/languages.ts'
import { hasNumber } from '../../text/signs.ts'
import { AGREES, type Comparer, FIRST_FIELD, type Levels, MISSING, WORD_LIKENESS_MIN, wordLikeness } from './compare.ts'
import type { Population, Prepared } from './population.ts'

/**
 * How two names compare: the same words, one within the other, one with one more number, or each with words of its own.
 */
export type NameFit = 'same' | 'within' | 'numbered' | 'apart'

/** Compares the names of the things of a population. */
export interface NameFitter {
  fitOf(one: Prepared, other: Prepared): NameFit
  /** The words, not numbers, of a thing's names that another thing says nowhere, nor anything like them. */
  ownWords(one: Prepared, beside: Prepared): number[]
}

/** A year is often told with a name, and as often left out. */
const YEAR = /^(?:1[5-9]|20)\p{N}{2}$/u
const RUNS = /\p{N}+|\p{L}+/gu
/** Shorter beginnings are initials, which stand for names and for nothing else that a thing says. */
const STEM_CHARS_MIN = 3
/** What is left of `Anna's` where the apostrophe is another sign. */
const POSSESSIVE = 's'
/** Pairs of words whose likeness is remembered: some 30 MB. */
const REMEMBERED_MAX = 500_000

/**
 * The comparison of names by what each thing has of its own: siblings share everything but such words, and two ways of
 * writing one thing leave at most one of them with more to say.
 */
export function createNameFit({ words, isNumber, isCode }: Population): NameFitter {
  const known = new Map<number, boolean>()
  const isAlike = (one: number, other: number): boolean => {
    const key = one < other ? one * words.length + other : other * words.length + one
    const before = known.get(key)
    if (before !== undefined) return before
    const alike = wordLikeness(words[one]!, words[other]!) >= WORD_LIKENESS_MIN
    if (known.size < REMEMBERED_MAX) known.set(key, alike)
    return alike
  }
  const isMixed = (token: number) => !isNumber[token] && hasNumber(words[token]!)
  const isFamiliarWord = (token: number, to: Prepared): boolean => {
    const word = words[token]!
    for (const its of to.nameTokens) {
      const other = words[its]!
      if (isNumber[its] || (isCode[its] && !other.startsWith(word))) continue
      if (other.startsWith(word) || word.startsWith(other) || isAlike(token, its)) return true
    }
    if (word.length < STEM_CHARS_MIN) return false
    return to.tokens.some((its) => {
      const other = words[its]!
      return other.length >= STEM_CHARS_MIN && (other.startsWith(word) || word.startsWith(other))
    })
  }
  const isFamiliar = (token: number, to: Prepared): boolean => {
    const word = words[token]!
    if (word === POSSESSIVE || STOP_WORDS.has(word) || to.tokens.includes(token)) return true
    if (isNumber[token]) return to.tokens.some((its) => isMixed(its) && runsOf(words[its]!).includes(word))
    if (!isMixed(token)) return isFamiliarWord(token, to)
    return (
      to.tokens.some((its) => isCode[token]! + isCode[its]! === 2 && contains(words[its]!, word)) || hasRuns(word, to)
    )
  }
  /** Letters and digits that the other writes apart, or with others: `32gb` and `32 GB`. */
  const hasRuns = (word: string, { tokens }: Prepared): boolean => {
    const runs = new Set(tokens.flatMap((token) => runsOf(words[token]!)))
    return runsOf(word).every((run) => runs.has(run))
  }
  const ownOf = (one: Prepared, beside: Prepared): 'nothing' | 'numbers' | 'words' => {
    let found: 'nothing' | 'words' = 'nothing'
    for (const token of one.nameWords) {
      if (isFamiliar(token, beside)) continue
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
    ownWords: (one, beside) =>
      one.nameWords.filter((token) => !isNumber[token] && !isMixed(token) && !isFamiliar(token, beside)),
  }
}

const runsOf = (word: string): readonly string[] => word.match(RUNS) ?? []

/** A model's number is often written with what comes before or after it: `fs105` and `fs105na`. */
export function contains(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one)
}

/** The least share of the words' weight that two names have in common when they differ in numbers alone. */
const SAME_WORDS = 0.9

/**
 * Whether two subjects cannot be one whatever else agrees: their names are the same but for a number, as of two rooms,
 * two issues of a series or two days of one meeting.
 */
export function isVetoed({ words, idf, isNumber, isCode }: Population, one: Prepared, other: Prepared): boolean {
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

/** What compares two things, and who is told of two that it fails on. */
interface Fallible {
  fitter: NameFitter
  comparer: Comparer
  /** Whether two cannot be one for a reason from outside, by their ids. */
  isBarred(one: string, other: string): boolean
  /** Told once of each pair that could not be compared, by their ids. */
  onFailed(one: string, other: string, error: unknown): void
}

/** The same comparison, which fails for no pair. */
export interface Isolated extends Omit<Fallible, 'onFailed'> {
  /** Whether comparing the two has failed before: such a pair counts as two things. */
  hasFailed(one: Prepared, other: Prepared): boolean
}

/** Where more pairs fail it is not for what two things say. */
const FAILED_PAIRS_MAX = 1_000

/**
 * Leaves out the pairs whose comparison fails, so that it is done for all others. Throws what was thrown for one of
 * them when there are too many.
 */
export function isolate({ fitter, comparer, isBarred, onFailed }: Fallible): Isolated {
  const failed = new Set<string>()
  const attempt = <T>(one: string, other: string, instead: T, compare: () => T): T => {
    try {
      return compare()
    } catch (error) {
      const pair = keyOf(one, other)
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
      ownWords: (one, beside) => between(one, beside, [], () => fitter.ownWords(one, beside)),
    },
    comparer: {
      ...comparer,
      levels: (one, other) => between(one, other, unknown, () => comparer.levels(one, other)),
    },
    isBarred: (one, other) => attempt(one, other, true, () => isBarred(one, other)),
    hasFailed: ({ subject: one }, { subject: other }) => failed.size > 0 && failed.has(keyOf(one.id, other.id)),
  }
}

function keyOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

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
  /** The sources that hold many of their things twice. */
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
